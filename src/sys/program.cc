#include "sys/program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace helve::sys {
namespace {

bool is_below(std::string_view path, const Writable& writable) {
  return std::ranges::any_of(writable, [&](const std::string& root) {
    return path == root || root == "/" ||
           (path.starts_with(root) && path.substr(root.size()).starts_with('/'));
  });
}

}  // namespace

bool lies_in(const std::string& path, const Writable& writable) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), &::free);
  return !real || is_below(path, writable) || is_below(real.get(), writable);
}

std::string path_outside(std::string_view path, const Writable& writable,
                         std::vector<std::string>* taken) {
  std::string kept;
  for (const std::string_view part : split(path, ':')) {
    const std::string directory(part);
    const bool is_absolute = directory.starts_with('/');
    struct stat status {};
    if (is_absolute && !lies_in(directory, writable))
      kept += (kept.empty() ? "" : ":") + directory;
    else if (taken && !directory.empty() &&
             (!is_absolute || ::stat(directory.c_str(), &status) == 0))
      taken->push_back(directory);
  }
  // Without any a shell would look into the current directory.
  return kept.empty() ? "/usr/local/bin:/usr/bin:/bin" : kept;
}

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Result<std::string> find_program(std::string_view name, std::string_view path,
                                 const Writable& writable) {
  bool is_passed_over = false;
  for (const std::string_view directory : split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    std::string candidate = fmt::format("{}/{}", directory, name);
    if (!is_program(candidate)) continue;
    if (!lies_in(candidate, writable)) return candidate;
    is_passed_over = true;
  }
  const std::string_view why =
      is_passed_over ? "found only in the workspace, where commands can change it" : "not found";
  return Error{Code::not_found,
               fmt::format("the program '{}' is {}", escape_for_display(name), why),
               fmt::format("install {}", escape_for_display(name)), "spawn_failed"};
}

}  // namespace helve::sys
