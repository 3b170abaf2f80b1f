// The part of ignore.h that finds the user's own excludes file.
#include <fmt/core.h>

#include "base/text.h"
#include "search/ignore.h"
#include "sys/environment.h"
#include "sys/file.h"

namespace helve::search {
namespace {

constexpr size_t kMaxConfig = 1u << 20;  // bytes

std::string git_home() {
  const auto configured = sys::environment("XDG_CONFIG_HOME");
  if (configured && configured->starts_with('/')) return *configured + "/git";
  const std::string home = sys::home_directory();
  return home.empty() ? "" : home + "/.config/git";
}

// The value of "name = value": quotes joined, escapes undone, a comment left off.
std::string value_of(std::string_view text) {
  std::string value;
  size_t kept = 0;  // spaces at the end count only inside quotes
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      quoted = !quoted;
      kept = value.size();
      continue;
    }
    if (!quoted && (c == '#' || c == ';')) break;
    if (c == '\\' && i + 1 < text.size()) {
      const char escaped = text[++i];
      value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    } else {
      value += c;
    }
    if (quoted || (value.back() != ' ' && value.back() != '\t' && value.back() != '\r'))
      kept = value.size();
  }
  value.resize(kept);
  return value;
}

std::string expanded(std::string path) {
  if (path.starts_with("~/")) path.replace(0, 1, sys::home_directory());
  return path;
}

}  // namespace

std::string excludes_file_setting(std::string_view config) {
  std::string found;
  bool in_core = false;
  for (std::string_view line : split(config, '\n')) {
    line = trim(line);
    if (line.starts_with('[')) {
      const size_t end = line.find(']');
      in_core =
          equals_ignoring_case(trim(line.substr(1, end == line.npos ? end : end - 1)), "core");
      line = end == line.npos ? std::string_view() : trim(line.substr(end + 1));
    }
    const size_t equals = line.find('=');
    if (!in_core || equals == line.npos) continue;
    if (equals_ignoring_case(trim(line.substr(0, equals)), "excludesfile"))
      found = value_of(trim(line.substr(equals + 1)));
  }
  return found;
}

std::string global_excludes_path() {
  const std::string home = sys::home_directory(), git = git_home();
  std::string found;
  for (const std::string& path :
       {std::string("/etc/gitconfig"), git.empty() ? git : git + "/config",
        home.empty() ? home : home + "/.gitconfig"}) {
    if (path.empty()) continue;
    const auto config = sys::read_file(path, kMaxConfig);
    if (!config) continue;
    if (std::string setting = excludes_file_setting(*config); !setting.empty())
      found = expanded(std::move(setting));
  }
  if (!found.empty()) return found;
  return git.empty() ? "" : git + "/ignore";
}

}  // namespace helve::search
