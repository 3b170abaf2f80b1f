#include "workspace/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sys/directory.h"
#include "sys/id.h"
#include "sys/reserved.h"

namespace helve::workspace {
namespace {

struct Named {
  std::string name;
  sys::FileKind kind;
};

sys::OrErrno<std::vector<Named>> entries_of(const sys::Fd& directory) {
  std::vector<Named> entries;
  std::vector<size_t> untold;
  const auto read = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!entry.kind) untold.push_back(entries.size());
    entries.push_back({std::string(entry.name), entry.kind.value_or(sys::FileKind::file)});
    return true;
  });
  if (!read) return std::unexpected(read.error());
  for (const size_t i : untold) {
    const auto status = sys::status_at(directory, entries[i].name);
    if (!status) return std::unexpected(status.error());
    entries[i].kind = status->kind;
  }
  return entries;
}

sys::OrErrno<sys::Fd> open_inner(const sys::Fd& directory, std::string_view name) {
  return sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
}

// What is removed may forbid it even to its owner, who then allows it.
sys::OrErrno<sys::Fd> open_to_empty(const sys::Fd& directory, std::string_view name) {
  constexpr std::uint32_t kOwner = 0700;
  const auto status = sys::status_at(directory, name);
  if (status && (status->mode & kOwner) != kOwner) {
    const auto identity = sys::open_beneath(directory, name, sys::Open::identity);
    if (identity) (void)sys::set_mode(*identity, status->mode | kOwner);
  }
  return open_inner(directory, name);
}

sys::OrErrno<bool> walk(const sys::Fd& directory, const std::string& path, int depth,
                        const std::function<bool(const TreeEntry&)>& visit) {
  if (depth > kMaxTreeDepth) return std::unexpected(std::errc::filename_too_long);
  const auto entries = entries_of(directory);
  if (!entries) return std::unexpected(entries.error());
  for (const Named& entry : *entries) {
    const std::string inner_path = path.empty() ? entry.name : path + "/" + entry.name;
    if (!visit({directory, entry.name, inner_path, entry.kind})) return false;
    if (entry.kind != sys::FileKind::directory) continue;
    const auto inner = open_inner(directory, entry.name);
    if (!inner) return std::unexpected(inner.error());
    if (const auto more = walk(*inner, inner_path, depth + 1, visit); !more || !*more) return more;
  }
  return true;
}

// Removes all that a directory holds, however deep: what lies deeper than can be held open is moved
// to the top, and looked at again from there.
class Emptying {
 public:
  explicit Emptying(const sys::Fd& top) : top_(top) {}

  sys::OrErrno<void> run() {
    do {
      has_moved_ = false;
      if (const auto emptied = empty(top_, 0); !emptied) return emptied;
    } while (has_moved_);
    return {};
  }

 private:
  sys::OrErrno<void> empty(const sys::Fd& directory, int depth) {
    const auto entries = entries_of(directory);
    if (!entries) return std::unexpected(entries.error());
    for (const Named& entry : *entries) {
      const auto gone = entry.kind == sys::FileKind::directory
                            ? remove_directory(directory, entry.name, depth)
                            : sys::remove_file_at(directory, entry.name);
      if (!gone) return gone;
    }
    return {};
  }

  sys::OrErrno<void> remove_directory(const sys::Fd& directory, const std::string& name,
                                      int depth) {
    const auto inner = open_to_empty(directory, name);
    if (!inner) return std::unexpected(inner.error());
    if (depth == kMaxTreeDepth) {
      has_moved_ = true;
      return rename_new(directory, name, top_, fmt::format("{:016x}", sys::random_number()));
    }
    if (const auto emptied = empty(*inner, depth + 1); !emptied) return emptied;
    return sys::remove_directory_at(directory, name);
  }

  const sys::Fd& top_;
  bool has_moved_ = false;
};

}  // namespace

sys::OrErrno<void> walk_tree(const sys::Fd& directory,
                             const std::function<bool(const TreeEntry&)>& visit) {
  const auto walked = walk(directory, "", 0, visit);
  if (!walked) return std::unexpected(walked.error());
  return {};
}

sys::OrErrno<std::string> outline_of(const sys::Fd& directory, std::uint64_t limit,
                                     OutlineOf what) {
  std::vector<std::string> lines;
  std::uint64_t bytes = 0;
  std::optional<std::errc> failed;
  const auto walked = walk_tree(directory, [&](const TreeEntry& entry) {
    const auto status = sys::status_at(entry.directory, entry.name);
    if (!status) {
      failed = status.error();
      return false;
    }
    // It comes and goes with the sandbox, whoever made the directory.
    if (sys::is_reserved(*status)) return true;
    // What is not restored does not tell a copy apart.
    if (status->kind == sys::FileKind::socket || status->kind == sys::FileKind::device) return true;
    std::string line =
        fmt::format("{} {} {:o}", entry.path, sys::name_of(status->kind), status->mode & 01777);
    if (status->kind == sys::FileKind::symlink) {
      line += " " + sys::read_link_at(entry.directory, entry.name).value_or("");
    } else if (status->kind == sys::FileKind::file) {
      line += fmt::format(" {} {}", status->size, status->modified_ns);
    }
    if (what == OutlineOf::itself) {
      line += fmt::format(" {}", status->inode);
      // That of a directory is another whenever something beside it is reserved there.
      if (status->kind != sys::FileKind::directory) line += fmt::format(" {}", status->changed_ns);
    }
    bytes += line.size() + 1;
    if (bytes > limit) failed = std::errc::file_too_large;
    lines.push_back(std::move(line));
    return !failed;
  });
  if (!walked) return std::unexpected(walked.error());
  if (failed) return std::unexpected(*failed);
  std::ranges::sort(lines);
  std::string outline;
  for (const std::string& line : lines) outline.append(line) += '\n';
  return outline;
}

sys::OrErrno<void> remove_tree_at(const sys::Fd& directory, const std::string& name) {
  const auto removed = sys::remove_file_at(directory, name);
  if (removed || removed.error() != std::errc::is_a_directory) return removed;
  const auto inner = open_to_empty(directory, name);
  if (!inner) return std::unexpected(inner.error());
  if (const auto emptied = Emptying(*inner).run(); !emptied) return emptied;
  return sys::remove_directory_at(directory, name);
}

sys::OrErrno<void> rename_new(const sys::Fd& from, std::string_view name, const sys::Fd& to,
                              std::string_view new_name) {
  const auto done = sys::rename_between(from, name, to, new_name, sys::Rename::no_replace);
  if (done || done.error() != std::errc::invalid_argument) return done;
  if (sys::status_at(to, new_name)) return std::unexpected(std::errc::file_exists);
  return sys::rename_between(from, name, to, new_name, sys::Rename::replace);
}

}  // namespace helve::workspace
