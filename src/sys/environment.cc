#include "sys/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "sys/directory.h"
#include "sys/file_at.h"
#include "sys/file_error.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxPasswordEntry = 16 * 1024;
constexpr size_t kMaxHomes = 256;

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

bool can_log_in(std::string_view shell) {
  return !shell.ends_with("/nologin") && !shell.ends_with("/false");
}

// The file itself: a database elsewhere may be slow and have thousands of users. The directories
// are not looked at: they may be on another machine that does not answer.
void add_homes_of_users(std::vector<std::string>& homes) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/passwd", "re"), &std::fclose);
  std::string buffer(kMaxPasswordEntry, 0);
  struct passwd entry;
  struct passwd* found = nullptr;
  while (file && homes.size() < kMaxHomes &&
         ::fgetpwent_r(file.get(), &entry, buffer.data(), buffer.size(), &found) == 0) {
    if (can_log_in(entry.pw_shell)) homes.push_back(entry.pw_dir);
  }
}

// Users of a database elsewhere, and those who are gone.
void add_directories_of_home(std::vector<std::string>& homes) {
  const auto directory = open_directory("/home");
  if (!directory) return;
  (void)for_each_entry(*directory, [&](const DirectoryEntry& entry) {
    if (entry.kind.value_or(FileKind::directory) == FileKind::directory)
      homes.push_back("/home/" + std::string(entry.name));
    return homes.size() < kMaxHomes;
  });
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

std::vector<std::string> home_directories() {
  std::vector<std::string> homes;
  if (const auto entry = user_entry()) homes.push_back(entry->home);
  if (::geteuid() == 0) {
    add_homes_of_users(homes);
    add_directories_of_home(homes);
  }
  std::ranges::sort(homes);
  homes.erase(std::ranges::unique(homes).begin(), homes.end());
  std::erase(homes, home_directory());
  return homes;
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
