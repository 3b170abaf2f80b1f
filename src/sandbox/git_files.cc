#include "sandbox/git_files.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "sandbox/way.h"
#include "sys/file.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxConfig = 1u << 20;  // bytes of a config file that are looked at
constexpr size_t kMaxLink = 4096 + 16;   // bytes of a file that holds a path
constexpr std::string_view kGitLink = "gitdir: ";
constexpr std::string_view kSubmodule = "[submodule \"";

mode_t kind_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

std::string beside(const std::string& directory, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : directory + "/" + std::string(path);
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Without the quotes and escapes that git allows.
std::string plain_value(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') continue;
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return value;
}

}  // namespace

bool exists(const std::string& path) { return kind_of(path) != 0; }
bool is_directory(const std::string& path) { return kind_of(path) == S_IFDIR; }
bool is_regular_file(const std::string& path) { return kind_of(path) == S_IFREG; }
bool is_link(const std::string& path) { return kind_of(path) == S_IFLNK; }

bool is_closed(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) != 0 && errno == EACCES;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), &free);
  if (resolved) return resolved.get();
  return errno == EACCES ? Walker().way_to(path).end : std::string();
}

std::string real_path_to_be(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failed);
  return failed ? "" : resolved.native();
}

std::string target_of_link(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path words = std::filesystem::read_symlink(path, failed);
  std::string target =
      std::filesystem::path(beside(parent_of(path), words.native())).lexically_normal();
  if (target.size() > 1 && target.ends_with('/')) target.pop_back();
  return failed ? "" : target;
}

bool is_git_directory(const std::string& path) {
  const mode_t head = kind_of(path + "/HEAD");
  if (head != S_IFREG && head != S_IFLNK) return false;
  return exists(path + "/commondir") || (exists(path + "/objects") && exists(path + "/refs"));
}

bool is_repository(const std::string& path) {
  if (exists(path + "/HEAD") && is_directory(path + "/objects")) return true;
  return read_config(path + "/config").find("repositoryformatversion") != std::string::npos;
}

std::string linked_directory(const std::string& checkout) {
  const auto link = sys::read_file(checkout + "/.git", kMaxLink);
  if (!link || !link->starts_with(kGitLink)) return {};
  return real_path(beside(checkout, trim(std::string_view(*link).substr(kGitLink.size()))));
}

std::string checkout_of_worktree(const std::string& directory) {
  const auto link = sys::read_file(directory + "/gitdir", kMaxLink);
  if (!link || trim(*link).empty()) return {};
  return real_path(parent_of(beside(directory, trim(*link))));
}

// The file commondir alone proves nothing: a command can make one in any repository.
std::optional<std::string> repository_of_worktree(const std::string& directory) {
  const std::string worktrees = parent_of(directory);
  if (!worktrees.ends_with("/worktrees")) return std::nullopt;
  const auto common = sys::read_file(directory + "/commondir", kMaxLink);
  if (!common || real_path(beside(directory, trim(*common))) != parent_of(worktrees))
    return std::nullopt;
  return parent_of(worktrees);
}

std::string read_config(const std::string& path) {
  return sys::read_file(path, kMaxConfig).value_or("");
}

std::vector<std::string> values_of(std::string_view config, std::string_view name) {
  std::vector<std::string> values;
  for (std::string_view line : split(config, '\n')) {
    // A header may stand before the name in the same line.
    if (line = trim(line); line.starts_with('[')) line = line.substr(line.find(']') + 1);
    const size_t equals = line.find('=');
    if (equals == line.npos || !equals_ignoring_case(trim(line.substr(0, equals)), name)) continue;
    values.push_back(plain_value(trim(line.substr(equals + 1))));
  }
  return values;
}

std::vector<std::string> submodules_of(std::string_view config) {
  std::vector<std::string> names;
  for (std::string_view line : split(config, '\n')) {
    line = trim(line);
    const size_t end = line.rfind("\"]");
    if (!line.starts_with(kSubmodule) || end == line.npos || end < kSubmodule.size()) continue;
    names.push_back(plain_value(line.substr(kSubmodule.size(), end - kSubmodule.size())));
  }
  return names;
}

}  // namespace helve::sandbox
