#include "workspace/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "workspace/path.h"
#include "workspace/real_path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxNewDirectories = 64;  // for one target

Error protected_error(std::string_view shown, std::string_view part, std::string_view action) {
  return {Code::denied,
          fmt::format("cannot {} '{}': file tools do not write in '{}'", action,
                      escape_for_display(shown), escape_for_display(part)),
          is_read_as(part, ".git") ? "use git commands to change the repository"
                                   : "its owner changes this configuration by hand",
          "protected_path"};
}

Result<void> check_access(const Root& root, std::string_view shown, std::string_view action) {
  if (root.access == Access::read_only) {
    return Error{Code::denied,
                 fmt::format("cannot {} '{}': '{}' may only be read", action,
                             escape_for_display(shown), root.path),
                 "write below a root that is writable", "read_only_root"};
  }
  return {};
}

Result<void> check_name(std::string_view name, std::string_view shown, std::string_view action) {
  if (name.empty()) {
    return Error{
        Code::invalid_argument,
        fmt::format("cannot {} '{}': the path ends in a slash", action, escape_for_display(shown)),
        "name the file", "is_directory"};
  }
  if (name != "." && name != "..") return {};
  return Error{Code::invalid_argument,
               fmt::format("cannot {} '{}': a path that ends in '{}' names nothing in a directory",
                           action, escape_for_display(shown), name),
               "name what is meant by its own name; a root always stays", "is_directory"};
}

// The descriptor still leads to a root that was moved; but people mean what bears its name now, and
// the journal knows files by their paths, also when a link leads to where it was moved.
sys::OrErrno<sys::Fd> open_existing(const Root& root, std::string_view path) {
  return sys::open_beneath(root.directory, path, sys::Open::directory);
}

struct TreeSize {
  size_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  std::string largest_path = {};
  sys::FileStatus several_names = {};
  std::string several_names_path = {};

  void add(const TreeEntry& entry) {
    const auto status = sys::status_at(entry.directory, entry.name);
    if (!status) return;
    if (status->links > 1) several_names = *status, several_names_path = entry.path;
    bytes += status->size;
    if (status->size <= largest) return;
    largest = status->size;
    largest_path = entry.path;
  }
};

}  // namespace

Targets::Targets(const WriteRules& rules)
    : hard_links_(rules.hard_links), protected_as_named_(rules.protected_directories) {
  for (const std::string& place : rules.protected_directories) {
    protected_.push_back(real_path(place));
  }
}

Result<void> Targets::check_protected(std::string_view whole, std::string_view shown,
                                      std::string_view action) const {
  for (const std::string& place : protected_) {
    if (holds(place, whole)) return protected_error(shown, place, action);
  }
  return {};
}

// The path alone does not say where the directory is: a link may have been followed, or the root
// may lie in what is protected.
Result<std::unique_ptr<Directory>> Targets::open(const Root& root, std::string_view path,
                                                 std::string_view shown, std::string_view action,
                                                 Guidance guidance) const {
  const std::vector<std::string_view> parts = parts_of(path);
  size_t existing = parts.size();
  auto opened = open_existing(root, path);
  while (!opened && opened.error() == std::errc::no_such_file_or_directory && existing > 0) {
    // Where ".." leads is not known before the directory in front of it exists.
    if (parts[--existing] == "..") break;
    if (parts.size() - existing > kMaxNewDirectories) {
      return Error{Code::invalid_argument,
                   fmt::format("cannot {} '{}': more than {} directories would have to be made",
                               action, escape_for_display(shown), kMaxNewDirectories),
                   "make some of them first"};
    }
    const char* end =
        existing == 0 ? path.data() : parts[existing - 1].data() + parts[existing - 1].size();
    opened = open_existing(root, existing == 0 ? "." : path.substr(0, end - path.data()));
  }
  if (!opened) return sys::to_error(opened.error(), action, shown);
  auto directory = std::make_unique<Directory>();
  const auto real = sys::path_of(*opened);
  if (!real) return sys::to_error(real.error(), "find the directory of", shown);
  const auto status = sys::status(*opened);
  if (!status) return sys::to_error(status.error(), action, shown);
  directory->descriptor = std::move(*opened);
  directory->wanted_for = shown;
  directory->key = fmt::format("{}:{}", status->device, status->inode);
  directory->path = *real == "/" ? "" : *real;
  for (size_t i = existing; i < parts.size(); ++i) {
    directory->missing.emplace_back(parts[i]);
    directory->path.append("/") += parts[i];
    directory->key.append("/") += parts[i];
  }
  // What a link leads to is no place for guidance, wherever that is.
  if (guidance == Guidance::allowed && directory->path != root.path + "/" + std::string(path)) {
    return Error{Code::denied,
                 fmt::format("cannot {} '{}': its directory is reached through a link", action,
                             escape_for_display(shown)),
                 "let its owner put a directory there", "symlink"};
  }
  const std::string_view checked =
      guidance == Guidance::allowed ? std::string_view(root.path) : directory->path;
  if (const auto part = protected_part(checked); !part.empty()) {
    return protected_error(shown, part, action);
  }
  return directory;
}

Result<Target> Targets::find(const Root& root, std::string_view path, std::string shown,
                             std::string_view action, Guidance guidance) {
  TRY(check_access(root, shown, action));
  if (!is_guidance(path)) guidance = Guidance::refused;
  if (const auto part = protected_part(path); !part.empty() && guidance == Guidance::refused)
    return protected_error(shown, part, action);
  const auto [directory, name] = split_name(path);
  TRY(check_name(name, shown, action));
  Target target{.name = std::string(name), .shown = std::move(shown)};
  target.directory = TRY(find_directory(root, directory, target.shown, action, guidance));
  TRY(check_protected(target.path(), target.shown, action));
  target.key = target.directory->key + "/" + target.name;
  return target;
}

Result<Directory*> Targets::find_directory(const Root& root, std::string_view path,
                                           std::string_view shown, std::string_view action,
                                           Guidance guidance) {
  const std::string known = root.path + '\0' + std::string(path);
  if (const auto found = directories_.find(known); found != directories_.end()) {
    return found->second.get();
  }
  if (checked_ != &root) TRY(check_root(root));
  checked_ = &root;
  std::unique_ptr<Directory> directory = TRY(open(root, path, shown, action, guidance));
  TRY(check_protected(directory->path, shown, action));
  return directories_.emplace(known, std::move(directory)).first->second.get();
}

Result<void> Targets::check_arrival(const Target& target, std::string_view action) const {
  const std::string whole = target.path();
  for (const std::string& place : protected_) {
    if (holds(whole, place)) return protected_error(target.shown, place, action);
  }
  return {};
}

Result<void> Targets::check_link(const Target& target, std::string_view action) const {
  const std::string whole = target.path();
  for (const std::string& place : protected_as_named_) {
    if (leads_through(place, whole)) return protected_error(target.shown, place, action);
  }
  return {};
}

Result<void> Targets::check_names(const sys::FileStatus& file, std::string_view shown,
                                  std::string_view action) const {
  if (hard_links_ == HardLinks::read || file.links < 2) return {};
  return Error{Code::denied,
               fmt::format("cannot {} '{}': the file has {} names (hard links), perhaps outside "
                           "the workspace",
                           action, escape_for_display(shown), file.links),
               "read_hard_links in the configuration allows it", "hard_link"};
}

Result<void> Targets::check_tree(const Target& target, TreeUse use, std::string_view action) const {
  TRY(check_arrival(target, action));
  const auto directory =
      sys::open_beneath(target.at(), target.name, sys::Open::directory, sys::Links::refuse);
  if (!directory) return sys::to_error(directory.error(), action, target.shown);
  TreeSize size;
  std::string found;
  const size_t most = use == TreeUse::remove ? kMaxRemovedEntries : kMaxMovedEntries;
  const auto walked = walk_tree(*directory, [&](const TreeEntry& entry) {
    if (use != TreeUse::take_back && !protected_part(entry.name).empty()) found = entry.path;
    if (use != TreeUse::move && entry.kind == sys::FileKind::file) size.add(entry);
    return found.empty() && ++size.entries <= most;
  });
  if (!walked) return sys::to_error(walked.error(), action, target.shown);
  if (!found.empty()) return protected_error(target.shown, found, action);
  if (!size.several_names_path.empty()) {
    TRY(check_names(size.several_names, target.shown + "/" + size.several_names_path, action));
  }
  const auto too_large = [&](const std::string& what, std::string_view hint) {
    return Error{
        Code::too_large,
        fmt::format("cannot {} '{}': it holds {}", action, escape_for_display(target.shown), what),
        std::string(hint), "too_large"};
  };
  // Whoever undoes cannot choose what to begin with.
  const std::string_view hint = use == TreeUse::take_back ? "remove it by hand, then undo again"
                                                          : "go directory by directory";
  if (size.entries > most) return too_large(fmt::format("more than {} entries", most), hint);
  // Undo could not make it again in one change.
  if (size.bytes > kMaxChangeBytes)
    return too_large(human_size(size.bytes) + ", more than can be restored", hint);
  if (size.largest > kMaxWrite && use == TreeUse::remove) {
    return too_large(fmt::format("a file of {}, '{}', which could not be restored",
                                 human_size(size.largest), escape_for_display(size.largest_path)),
                     "delete that file by itself first");
  }
  return {};
}

std::vector<std::string> Targets::missing() const {
  std::set<std::string> paths;
  for (const auto& [key, directory] : directories_) {
    std::string_view path = directory->path;
    for (size_t i = 0; i < directory->missing.size(); ++i) {
      paths.emplace(path);
      path = path.substr(0, path.rfind('/'));
    }
  }
  return {paths.begin(), paths.end()};
}

Result<void> Targets::make_missing() {
  for (const auto& [key, directory] : directories_) TRY(make_missing(*directory));
  return {};
}

Result<void> Targets::make_missing(Directory& directory) {
  for (const std::string& name : directory.missing) {
    const auto made = sys::make_directory_at(directory.descriptor, name, 0777);
    if (!made && made.error() != std::errc::file_exists) {
      return sys::to_error(made.error(), "make the directory of", directory.wanted_for);
    }
    auto inner =
        sys::open_beneath(directory.descriptor, name, sys::Open::directory, sys::Links::refuse);
    if (made) created_.push_back({std::move(directory.descriptor), name});
    if (!inner) return sys::to_error(inner.error(), "open the directory of", directory.wanted_for);
    directory.descriptor = std::move(*inner);
  }
  directory.missing.clear();
  return {};
}

void Targets::remove_created() {
  for (; !created_.empty(); created_.pop_back()) {
    (void)sys::remove_directory_at(created_.back().parent, created_.back().name);
  }
}

Result<void> Targets::check_places() const {
  constexpr std::string_view kRemoved = " (deleted)";  // as the kernel adds it
  for (const auto& [key, directory] : directories_) {
    const auto now = sys::path_of(directory->descriptor);
    if (!now) return sys::to_error(now.error(), "find the directory of", directory->wanted_for);
    if (*now == directory->path || (*now == "/" && directory->path.empty())) continue;
    if (*now == directory->path + std::string(kRemoved)) {
      const auto status = sys::status(directory->descriptor);
      if (status && status->links == 0) continue;
    }
    return Error{Code::conflict,
                 fmt::format("cannot change '{}': its directory was moved or deleted meanwhile",
                             escape_for_display(directory->wanted_for)),
                 "look at what is there now", "changed_meanwhile"};
  }
  return {};
}

sys::OrErrno<void> Targets::sync() const {
  for (const auto& [key, directory] : directories_) {
    if (const auto done = sys::sync_directory(directory->descriptor); !done) return done;
  }
  for (const Created& created : created_) {
    if (const auto done = sys::sync_directory(created.parent); !done) return done;
  }
  return {};
}

void Targets::for_each(const std::function<void(Directory&)>& visit) {
  for (const auto& [key, directory] : directories_) visit(*directory);
}

}  // namespace helve::workspace
