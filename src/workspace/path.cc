#include "workspace/path.h"

#include <algorithm>

#include "base/text.h"

namespace helve::workspace {
namespace {

// HFS+ does not look at these, in UTF-8; git knows the same list.
bool is_ignored(std::string_view three_bytes) {
  const auto last = static_cast<unsigned char>(three_bytes.back());
  if (three_bytes.starts_with("\xE2\x80")) {
    return (last >= 0x8B && last <= 0x8F) || (last >= 0xAA && last <= 0xAE);
  }
  if (three_bytes.starts_with("\xE2\x81")) return last >= 0xAA && last <= 0xAF;
  return three_bytes == "\xEF\xBB\xBF";
}

std::string without_ignored(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const bool ignored = name.size() >= 3 && is_ignored(name.substr(0, 3));
    if (!ignored) out += name.front();
    name.remove_prefix(ignored ? 3 : 1);
  }
  return out;
}

// NTFS drops dots and spaces at the end, and takes what follows a colon as a stream of the file.
bool ends_for_ntfs(std::string_view rest) {
  const size_t end = rest.find_first_not_of(". ");
  return end == rest.npos || rest[end] == ':' || rest[end] == '\\';
}

}  // namespace

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

bool is_read_as(std::string_view part, std::string_view dot_name) {
  const std::string name = without_ignored(part);
  const std::string short_name = std::string(dot_name.substr(1)) + "~1";
  for (const std::string_view form : {dot_name, std::string_view(short_name)}) {
    if (equals_ignoring_case(std::string_view(name).substr(0, form.size()), form) &&
        ends_for_ntfs(std::string_view(name).substr(form.size()))) {
      return true;
    }
  }
  return false;
}

std::string_view protected_part(std::string_view path) {
  for (std::string_view part; !(part = next_part(path)).empty();) {
    if (is_read_as(part, ".git") || is_read_as(part, ".helve")) return part;
  }
  return {};
}

bool is_guidance(std::string_view path) {
  constexpr std::string_view kPrompts = ".helve/prompts/", kSkills = ".helve/skills/";
  constexpr std::string_view kPrompt = ".md", kSkill = "/SKILL.md";
  const auto is_around = [&](std::string_view front, std::string_view end) {
    if (!path.starts_with(front) || !path.ends_with(end)) return false;
    if (path.size() <= front.size() + end.size()) return false;
    const std::string_view name =
        path.substr(front.size(), path.size() - front.size() - end.size());
    return name.find('/') == name.npos && name != "." && name != "..";
  };
  return is_around(kPrompts, kPrompt) || is_around(kSkills, kSkill);
}

}  // namespace helve::workspace
