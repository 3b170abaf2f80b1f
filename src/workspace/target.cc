#include "workspace/target.h"

#include <fmt/core.h>

#include "base/text.h"
#include "workspace/path.h"
#include "workspace/real_path.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxNewDirectories = 64;

Error protected_error(std::string_view shown, std::string_view part) {
  return {Code::denied,
          fmt::format("cannot write '{}': file tools do not write in '{}'",
                      escape_for_display(shown), escape_for_display(part)),
          is_read_as(part, ".git") ? "use git commands to change the repository"
                                   : "its owner changes this configuration by hand",
          "protected_path"};
}

Result<void> check_path(const Root& root, std::string_view path, std::string_view shown) {
  if (root.access == Access::read_only) {
    return Error{Code::denied,
                 fmt::format("cannot write '{}': '{}' may only be read", escape_for_display(shown),
                             root.path),
                 "write below a root that is writable", "read_only_root"};
  }
  const std::string_view name = split_name(path).name;
  if (name.empty() || name == "." || name == "..") {
    Error error = sys::to_error(std::errc::is_a_directory, "write", shown);
    error.hint = "name a file in it";
    return error;
  }
  if (const auto part = protected_part(path); !part.empty()) return protected_error(shown, part);
  return {};
}

// The path alone does not say where the directory is: a link may have been followed, or the root
// may lie in what is protected. `rest` is what will be made below the directory.
Result<void> check_whereabouts(const sys::Fd& directory, std::string_view rest,
                               const WriteRules& rules, std::string_view shown) {
  const auto path = sys::path_of(directory);
  if (!path) return sys::to_error(path.error(), "find the directory of", shown);
  const std::string whole = fmt::format("{}/{}", *path, rest);
  if (const auto part = protected_part(whole); !part.empty()) return protected_error(shown, part);
  for (const std::string& place : rules.protected_directories) {
    if (holds(real_path(place), whole)) return protected_error(shown, place);
  }
  return {};
}

sys::OrErrno<sys::Fd> open_existing(const Root& root, std::string_view path) {
  return sys::open_beneath(root.directory, path, sys::Open::directory);
}

// Makes `name` below the target's directory and makes that the target's directory.
Result<void> descend(Target& target, std::string_view name, Durability durability) {
  const auto made = sys::make_directory_at(target.directory, name, 0777);
  if (!made && made.error() != std::errc::file_exists) {
    return sys::to_error(made.error(), "make the directory of", target.shown);
  }
  auto inner = sys::open_beneath(target.directory, name, sys::Open::directory, sys::Links::refuse);
  if (made) target.created.push_back({std::move(target.directory), std::string(name)});
  if (!inner) return sys::to_error(inner.error(), "open the directory of", target.shown);
  target.directory = std::move(*inner);
  if (made && durability == Durability::synced) {
    if (const auto synced = sys::sync_directory(target.created.back().parent); !synced) {
      return sys::to_error(synced.error(), "make the directory of", target.shown);
    }
  }
  return {};
}

Result<void> open_parents(const Root& root, std::string_view path, Target& target,
                          const WriteRules& rules) {
  const std::vector<std::string_view> parts = parts_of(path);
  size_t existing = parts.size();
  auto opened = open_existing(root, path);
  while (!opened && opened.error() == std::errc::no_such_file_or_directory && existing > 0) {
    // Where ".." leads is not known before the directory in front of it exists.
    if (parts[--existing] == "..") break;
    if (parts.size() - existing > kMaxNewDirectories) {
      return Error{Code::invalid_argument,
                   fmt::format("cannot write '{}': more than {} directories would have to be made",
                               escape_for_display(target.shown), kMaxNewDirectories),
                   "make some of them first"};
    }
    const char* end =
        existing == 0 ? path.data() : parts[existing - 1].data() + parts[existing - 1].size();
    opened = open_existing(root, existing == 0 ? "." : path.substr(0, end - path.data()));
  }
  if (!opened) return sys::to_error(opened.error(), "write", target.shown);
  std::string rest;
  for (size_t i = existing; i < parts.size(); ++i) rest.append(parts[i]) += '/';
  TRY(check_whereabouts(*opened, rest + target.name, rules, target.shown));
  target.directory = std::move(*opened);
  for (; existing < parts.size(); ++existing) {
    TRY(descend(target, parts[existing], rules.durability));
  }
  return {};
}

}  // namespace

void Target::remove_created() {
  for (; !created.empty(); created.pop_back()) {
    (void)sys::remove_directory_at(created.back().parent, created.back().name);
  }
}

Result<Target> open_target(const Root& root, std::string_view path, std::string shown,
                           const WriteRules& rules) {
  TRY(check_path(root, path, shown));
  const auto [directory, name] = split_name(path);
  Target target{.name = std::string(name), .shown = std::move(shown)};
  if (Result<void> opened = open_parents(root, directory, target, rules); !opened) {
    target.remove_created();
    return std::move(opened).error();
  }
  const auto status = sys::status(target.directory);
  if (!status) return sys::to_error(status.error(), "write", target.shown);
  target.key = fmt::format("{}:{}/{}", status->device, status->inode, name);
  return target;
}

}  // namespace helve::workspace
