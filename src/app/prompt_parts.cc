#include "app/prompt_parts.h"

#include <fmt/format.h>

namespace helve::app {

std::string system_prompt_of(const Place& place, const Surroundings&, const std::string&) {
  return fmt::format("You work with tools in {}.", place.who.workspace);
}

}  // namespace helve::app
