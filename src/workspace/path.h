// Paths as sequences of names: compared part by part, never as strings, so that /a/allow does not
// hold /a/allow_evil. Nothing here looks at the file system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace {

constexpr size_t kMaxPath = 4096;  // bytes

// Takes the first part off `rest`; empty when there is none. Slashes and "." are no parts.
std::string_view next_part(std::string_view& rest);
// The parts as views into `path`.
std::vector<std::string_view> parts_of(std::string_view path);
// "a//b/./c" as "a/b/c"; ".." stays, since only the file system knows where it leads.
std::string tidy(std::string_view path);

// What remains of the absolute `path` below the absolute `root`, empty for the root itself; nothing
// when it is not below.
std::optional<std::string_view> below(std::string_view root, std::string_view path);

// The last part and what comes before it, as views into the path; a final slash leaves the name
// empty.
struct DirectoryAndName {
  std::string_view directory;  // "." when there is none
  std::string_view name;
};
DirectoryAndName split_name(std::string_view path);

// Whether some file system takes the part for `dot_name`, which begins with a dot: in another case,
// with characters that HFS+ ignores, or as one of the other names that NTFS has for it.
bool is_read_as(std::string_view part, std::string_view dot_name);
// The part that file tools must not write to, at any depth: what some file system takes for .git or
// .helve. Empty when there is none.
std::string_view protected_part(std::string_view path);

// Whether a path below a root is that of a prompt (.helve/prompts/NAME.md) or of a skill
// (.helve/skills/NAME/SKILL.md), written in just that way.
bool is_guidance(std::string_view path);

}  // namespace helve::workspace
