#include "sandbox/protect.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sandbox/git_files.h"
#include "sandbox/mounts.h"
#include "sandbox/reserve.h"
#include "sandbox/view.h"
#include "sandbox/way.h"

namespace helve::sandbox {
namespace {

constexpr int kAttempts = 8;         // against others who replace the same name
constexpr size_t kMaxMounts = 8192;  // of one command; each costs some microseconds

sys::Fd open_place(const sys::Fd& parent, std::string_view name) {
  return sys::Fd(openat(parent.get(), std::string(name).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

mode_t kind_of(const sys::Fd& place) {
  struct stat status {};
  return fstat(place.get(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

// Whether a mount of ours is there already, from when the enclosure was made.
bool is_mounted(const sys::Fd& place, bool read_only) {
  struct statx status {};
  if (statx(place.get(), "", AT_EMPTY_PATH, 0, &status) != 0 ||
      (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) {
    return false;
  }
  struct statvfs mounted {};
  return !read_only || (fstatvfs(place.get(), &mounted) == 0 && (mounted.f_flag & ST_RDONLY) != 0);
}

// Below a root.
struct Names {
  std::vector<std::string> names;  // that are protected, whoever says so
  std::vector<std::string> files;  // those of them that do not exist and would be files
  // That stay where they are. What is hidden has its cover there, and the next sandbox would not
  // look for it elsewhere.
  std::vector<std::string> kept;
  std::vector<std::string> shut;    // directories in which nothing is made,
  std::vector<std::string> open;    // but in these of them
  std::vector<std::string> places;  // directories in which more of them may appear
  bool is_complete = true;
};

// Protects names below one root. Every directory between the root and a name becomes a mount point
// once, and is walked into through that mount.
class Guard {
 public:
  Guard(std::string root, const Names& names, std::vector<sys::Fd>& reserved)
      : root_(std::move(root)),
        files_(names.files.begin(), names.files.end()),
        shut_(names.shut.begin(), names.shut.end()),
        open_(names.open.begin(), names.open.end()),
        reserved_(reserved) {}

  Result<void> open() {
    sys::Fd place(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!place) return failure("open the root " + root_, errno);
    pinned_.insert_or_assign("", std::move(place));
    return {};
  }

  // `name` is relative to the root.
  Result<void> protect(std::string_view name) {
    if (!TRY(pin_parents(name))) return {};
    return close(parent_of(name), std::string(name));
  }

  // In a directory nobody makes anything, but below those in it that are open. What is around it
  // comes first.
  Result<void> shut(const std::string& name) {
    TRY(pin_parents(name + "/"));
    return {};
  }

  // Nobody renames a directory that leads to the name. False: one of them is closed.
  Result<bool> pin_parents(std::string_view name) {
    for (size_t slash = 0; (slash = name.find('/', slash)) != name.npos; ++slash) {
      const std::string directory(name.substr(0, slash));
      if (!TRY(pin(parent_of(directory), directory))) return false;
    }
    return true;
  }

  // Nobody moves or removes a directory or a link that leads to the name, nor the name itself if it
  // is a link.
  Result<void> keep_in_place(const std::string& name) {
    struct stat status {};
    if (fstatat(pinned_.at("").get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == EACCES ? check_closed(shown(name)) : Result<void>();
    for (size_t slash = name.find('/');; slash = name.find('/', slash + 1)) {
      const std::string part = name.substr(0, slash);
      if (!pinned_.contains(part)) {
        const sys::Fd place = open_place(pinned_.at(parent_of(part)), last_part(part));
        if (!place) return {};
        if (kind_of(place) == S_IFLNK) return keep_link(place, part);
        if (slash == name.npos || kind_of(place) != S_IFDIR) return {};
        if (!TRY(pin(parent_of(part), part))) return {};
      }
      if (slash == name.npos) return {};
    }
  }

 private:
  std::string shown(std::string_view name) const { return fmt::format("{}/{}", root_, name); }

  static std::string parent_of(std::string_view name) {
    const size_t slash = name.rfind('/');
    return std::string(name.substr(0, slash == name.npos ? 0 : slash));
  }
  static std::string last_part(std::string_view name) {
    return std::string(name.substr(name.rfind('/') + 1));
  }

  // The parent was pinned before. False: there is nothing to walk into, because the name itself is
  // closed now.
  Result<bool> pin(const std::string& parent, const std::string& name) {
    if (closed_.contains(name)) return false;
    if (pinned_.contains(name)) return true;
    const sys::Fd& directory = pinned_.at(parent);
    const std::string last = last_part(name);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      sys::Fd place = open_place(directory, last);
      // What is only reserved gets nothing reserved within.
      if (!place || kind_of(place) != S_IFDIR || is_reserved(directory, last)) {
        TRY(close(parent, name));
        return false;
      }
      if (!is_current(directory, last, place)) continue;  // nor is that mounted on
      const std::uint64_t attributes = shut_.contains(name) ? kReadOnly : 0;
      if (!is_mounted(place, attributes == kReadOnly)) {
        TRY(bind(place, attributes, name));
        place = open_place(directory, last);
        if (!place) return failure("open " + shown(name), errno);
      }
      pinned_.insert_or_assign(name, std::move(place));
      return true;
    }
    return comes_and_goes(name);
  }

  Result<void> close(const std::string& parent, const std::string& name) {
    if (!closed_.insert(name).second) return {};
    const sys::Fd& directory = pinned_.at(parent);
    const std::string last = last_part(name);
    const sys::Fd place = TRY(open_or_reserve(directory, last, name));
    if (!place) return {};
    if (kind_of(place) == S_IFLNK) return link_refused(name);
    return bind_once(place, kReadOnly, name);
  }

  // Nothing: nobody may make it.
  Result<sys::Fd> open_or_reserve(const sys::Fd& directory, const std::string& last,
                                  const std::string& name) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      sys::Fd place = open_place(directory, last);
      if (!place && errno == EACCES) {
        TRY(check_closed(shown(name)));
        return place;
      }
      if (!place && errno != ENOENT) return failure("open " + shown(name), errno);
      // One that another helve is about to remove is as good as missing.
      if (!place || is_reserved(directory, last)) {
        const Reserved as = files_.contains(name) ? Reserved::file : Reserved::by_name;
        sys::Fd held = TRY(reserve(directory, last, shown(name), as));
        if (!held) return held;
        reserved_.push_back(std::move(held));
        place = open_place(directory, last);
      }
      // What has just been removed cannot be mounted on.
      if (place && is_current(directory, last, place)) return place;
    }
    return comes_and_goes(name);
  }

  Error comes_and_goes(std::string_view name) const {
    return unfit(fmt::format("'{}' comes and goes", shown(name)), "try again");
  }

  Result<void> bind_once(const sys::Fd& place, std::uint64_t attributes, const std::string& name) {
    return is_mounted(place, attributes == kReadOnly) ? Result<void>()
                                                      : bind(place, attributes, name);
  }

  Result<void> bind(const sys::Fd& place, std::uint64_t attributes, const std::string& name) {
    TRY(count());
    const Detached tree = TRY(clone_tree(place, shown(name)));
    TRY(restrict_tree(tree, attributes));
    // It lies in one that is shut.
    if (open_.contains(name) && is_writable_around(name)) TRY(make_writable(tree));
    return attach(tree, place, shown(name));
  }

  // What the host has mounted read-only stays so, and the kernel may refuse to change that.
  bool is_writable_around(const std::string& name) const {
    for (std::string part = parent_of(name); !part.empty(); part = parent_of(part)) {
      if (!shut_.contains(part)) continue;
      struct statvfs around {};
      return fstatvfs(pinned_.at(parent_of(part)).get(), &around) == 0 &&
             (around.f_flag & ST_RDONLY) == 0;
    }
    return true;
  }

  Result<void> keep_link(const sys::Fd& place, const std::string& name) {
    if (!bind_once(place, 0, name)) return link_refused(name);
    return {};
  }

  // What it leads to is not protected.
  Error link_refused(const std::string& name) const {
    return unfit(fmt::format("'{}' is a symbolic link, which commands could replace", shown(name)),
                 "put what it leads to in its place");
  }

  Result<void> count() {
    if (++mounts_ <= kMaxMounts) return {};
    return unfit(fmt::format("'{}' holds more than can be protected", root_),
                 "remove submodules that are not needed");
  }

  std::string root_;
  std::set<std::string> files_;  // are reserved as such
  std::set<std::string> shut_;
  std::set<std::string> open_;
  std::vector<sys::Fd>& reserved_;
  std::map<std::string, sys::Fd> pinned_;
  std::set<std::string> closed_;
  size_t mounts_ = 0;
};

// Relative to the root; nothing for the root itself and what is elsewhere.
std::optional<std::string> below(const std::string& root, const std::string& path) {
  if (path == root || !is_below(path, root)) return std::nullopt;
  return path.substr(root == "/" ? 1 : root.size() + 1);
}

// One that commands could reach by another root is that root's.
void add_file(const std::string& root, const std::string& path, Names& found) {
  const auto link = below(root, path), file = below(root, real_path_to_be(path));
  if (link && link != file) found.kept.push_back(*link);
  if (!file) return;
  // A link to nothing stays one: what it leads to is not known.
  if (is_link(root + "/" + *file)) return found.kept.push_back(*file);
  if (!exists(root + "/" + *file)) found.files.push_back(*file);
  found.names.push_back(*file);
}

Names names_below(const Policy& policy, const Guarded& guarded) {
  const std::string& root = guarded.root;
  Names found{.names = policy.protected_names,
              .files = {},
              .kept = {},
              .shut = {},
              .open = {},
              .places = {}};
  for (const auto* paths : {&policy.protected_paths, &policy.read_only_roots}) {
    for (const std::string& path : *paths) {
      if (auto name = below(root, path)) found.names.push_back(std::move(*name));
    }
  }
  GitNames git = git_names(root, guarded.repositories, policy.protected_names);
  found.is_complete = git.is_complete;
  std::ranges::move(git.names, std::back_inserter(found.names));
  found.files = std::move(git.files);
  found.kept = std::move(git.links);
  found.shut = std::move(git.shut);
  found.open = std::move(git.modules);
  found.places = std::move(git.places);
  for (const std::string& path : policy.protected_files) add_file(root, path, found);
  for (const std::string& path : policy.hidden) {
    if (auto name = below(root, path)) found.kept.push_back(std::move(*name));
  }
  std::ranges::copy(guarded.links, std::back_inserter(found.kept));
  // Whatever is in there.
  std::ranges::copy(guarded.repositories.unknown, std::back_inserter(found.names));
  return found;
}

}  // namespace

Result<std::vector<Guarded>> find_guarded(const Policy& policy) {
  std::vector<Guarded> guarded;
  if (policy.level != Level::workspace_write) return guarded;
  for (const std::string& root : policy.roots) {
    Guarded& each = guarded.emplace_back(root);
    each.repositories = TRY(find_repositories(root));
  }
  return guarded;
}

void keep_links(std::span<Guarded> guarded, const std::set<std::string>& links) {
  for (Guarded& each : guarded) {
    for (const std::string& link : links) {
      if (auto name = below(each.root, link)) each.links.push_back(std::move(*name));
    }
  }
}

Result<std::vector<sys::Fd>> protect(const Policy& policy, std::span<const Guarded> guarded) {
  std::vector<sys::Fd> reserved;
  for (const Guarded& each : guarded) {
    const Names found = names_below(policy, each);
    if (!found.is_complete) {
      return unfit(
          fmt::format("the repositories in '{}' have too many worktrees or submodules", each.root),
          "look into .git/worktrees and .git/modules and remove those that a command made");
    }
    Guard guard(each.root, found, reserved);
    TRY(guard.open());
    for (const std::string& root : policy.roots) {
      if (const auto name = below(each.root, root)) TRY(guard.pin_parents(*name));
    }
    for (const std::string& name : found.shut) TRY(guard.shut(name));
    for (const std::string& name : found.kept) TRY(guard.keep_in_place(name));
    for (const std::string& name : found.names) TRY(guard.protect(name));
  }
  return reserved;
}

std::vector<std::string> directories_of_protected(const Policy& policy,
                                                  std::span<const Guarded> guarded) {
  std::set<std::string> directories;
  for (const Guarded& each : guarded) {
    directories.insert(each.root);
    Names found = names_below(policy, each);
    for (const std::string& place : found.places) directories.insert(each.root + "/" + place);
    std::ranges::move(found.kept, std::back_inserter(found.names));
    std::ranges::move(found.shut, std::back_inserter(found.names));
    for (const std::string& name : found.names) {
      for (size_t slash = 0; (slash = name.find('/', slash)) != name.npos; ++slash) {
        directories.insert(each.root + "/" + name.substr(0, slash));
      }
    }
  }
  return {directories.begin(), directories.end()};
}

void remove_leads(const Policy& policy, std::span<const Guarded> guarded) {
  for (const Guarded& each : guarded) {
    remove_leads(each.root, each.repositories, policy.protected_names);
  }
}

void release_reserved(const Policy& policy, std::span<const Guarded> guarded) {
  for (const Guarded& each : guarded) {
    const std::string& root = each.root;
    Names found = names_below(policy, each);
    std::ranges::move(found.shut, std::back_inserter(found.names));
    for (std::string name : found.names) {
      // The deepest first: what stands in a reserved directory is gone before it.
      for (;;) {
        const size_t slash = name.rfind('/');
        const std::string parent = slash == name.npos ? root : root + "/" + name.substr(0, slash);
        const sys::Fd directory(
            open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        umount2((root + "/" + name).c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
        if (directory) release_reserved(directory, name.substr(slash + 1));
        if (slash == name.npos) break;
        name.resize(slash);
      }
    }
  }
}

}  // namespace helve::sandbox
