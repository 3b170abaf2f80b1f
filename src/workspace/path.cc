#include "workspace/path.h"

#include <algorithm>

#include "base/text.h"

namespace helve::workspace {

std::string_view next_part(std::string_view& rest) {
  while (true) {
    const size_t start = rest.find_first_not_of('/');
    if (start == rest.npos) {
      rest = {};
      return {};
    }
    rest.remove_prefix(start);
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    if (part != ".") return part;
  }
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::string_view part; !(part = next_part(path)).empty();) parts.push_back(part);
  return parts;
}

std::string tidy(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  const bool absolute = path.starts_with('/');
  for (std::string_view part; !(part = next_part(path)).empty();) {
    if (absolute || !out.empty()) out += '/';
    out += part;
  }
  if (out.empty()) out += absolute ? '/' : '.';
  return out;
}

std::optional<std::string_view> below(std::string_view root, std::string_view path) {
  while (true) {
    const std::string_view expected = next_part(root);
    if (expected.empty()) break;
    if (next_part(path) != expected) return {};
  }
  // Without the slash in front, which would make it absolute again.
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return path;
}

DirectoryAndName split_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  const std::string_view directory = path.substr(0, slash);
  return {directory.empty() ? "." : directory, path.substr(slash + 1)};
}

std::string_view protected_part(std::string_view path) {
  for (std::string_view part; !(part = next_part(path)).empty();) {
    // Some file systems do not tell .GIT from .git.
    if (equals_ignoring_case(part, ".git") || equals_ignoring_case(part, ".helve")) return part;
  }
  return {};
}

}  // namespace helve::workspace
