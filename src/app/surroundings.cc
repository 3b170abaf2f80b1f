#include "app/surroundings.h"

#include "sys/environment.h"
#include "sys/file_at.h"
#include "sys/terminal.h"

namespace helve::app {

bool Surroundings::has(const std::string& variable) const {
  const auto found = environment.find(variable);
  return found != environment.end() && !found->second.empty();
}

Surroundings surroundings_of_process() {
  return {.current_directory = sys::current_directory().value_or(""),
          .home = sys::home_directory(),
          .config_directory = sys::config_directory().value_or(""),
          .state_directory = sys::state_directory().value_or(""),
          .program_directory = sys::program_directory(),
          .user = sys::user_name(),
          .other_homes = sys::home_directories(),
          .environment = sys::environment_starting_with(""),
          .terminal = sys::kControllingTerminal};
}

std::string program_path() {
  const auto process = sys::open_directory("/proc/self");
  if (!process) return "helve";
  return sys::read_link_at(*process, "exe").value_or("helve");
}

}  // namespace helve::app
