#include "sys/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "sys/file_error.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxPasswordEntry = 16 * 1024;

struct UserEntry {
  std::string name;
  std::string home;
};

std::optional<UserEntry> user_entry() {
  std::string buffer(kMaxPasswordEntry, 0);
  struct passwd entry;
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return {};
  return UserEntry{entry.pw_name, entry.pw_dir};
}

Result<std::string> xdg_directory(const std::string& variable, const std::string& below_home) {
  const std::optional<std::string> value = environment(variable);
  if (value && value->starts_with('/')) return *value + "/helve";
  const std::string home = home_directory();
  if (home.empty()) {
    return Error{Code::not_found, "the home directory is not known", "set HOME or " + variable};
  }
  return home + "/" + below_home + "/helve";
}

}  // namespace

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (!value) return {};
  return value;
}

std::map<std::string, std::string> environment_starting_with(std::string_view prefix) {
  std::map<std::string, std::string> found;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == text.npos || !text.starts_with(prefix)) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

std::string home_directory() {
  if (auto home = environment("HOME"); home && home->starts_with('/')) return *home;
  const auto entry = user_entry();
  return entry ? entry->home : "";
}

Result<std::string> config_directory() { return xdg_directory("XDG_CONFIG_HOME", ".config"); }
Result<std::string> state_directory() { return xdg_directory("XDG_STATE_HOME", ".local/state"); }

Result<std::string> current_directory() {
  char buffer[PATH_MAX];
  if (!::getcwd(buffer, sizeof buffer)) {
    return to_error(last_error().error(), "find the current directory", ".");
  }
  return std::string(buffer);
}

std::string program_directory() {
  char buffer[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer);
  const std::string_view path(buffer, length > 0 ? static_cast<size_t>(length) : 0);
  return std::string(path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/')));
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::string user_name() {
  if (auto user = environment("USER"); user && !user->empty()) return *user;
  return std::to_string(::geteuid());
}

}  // namespace helve::sys
