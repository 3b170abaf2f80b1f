#include "workspace/layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "sys/directory.h"
#include "sys/file_error.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using sys::FileKind;
using What = Altered::What;

constexpr const char* kOpaque = "user.overlay.opaque";
constexpr std::string_view kMarks = "user.overlay.";
constexpr std::uint64_t kMaxOutline = 64u << 20;
constexpr std::uint32_t kOwner = 0700;
constexpr size_t kCompared = 256u << 10;  // bytes at once

bool same_bytes(const sys::Fd& a, const sys::Fd& b) {
  std::string left(kCompared, '\0'), right(kCompared, '\0');
  for (std::uint64_t at = 0;; at += kCompared) {
    const auto one = sys::read_at(a, left, at), other = sys::read_at(b, right, at);
    if (!one || !other || *one != *other || left.compare(0, *one, right, 0, *other) != 0)
      return false;
    if (*one < kCompared) return true;
  }
}

std::string outline(const sys::Fd& directory, const std::string& name) {
  const auto opened = sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
  if (!opened) return {};
  const auto told = outline_of(*opened, kMaxOutline, OutlineOf::itself);
  return told ? sha256_hex(*told) : std::string();
}

class Reader {
 public:
  explicit Reader(const LayerLimits& limits) : limits_(limits) {}

  Result<void> read(const sys::Fd& upper, const sys::Fd& lower, const std::string& prefix) {
    std::vector<std::string> names;
    const auto listed = sys::for_each_entry(upper, [&](const sys::DirectoryEntry& entry) {
      names.emplace_back(entry.name);
      return true;
    });
    if (!listed) return sys::to_error(listed.error(), "look into", prefix);
    std::ranges::sort(names);
    for (const std::string& name : names) TRY(read_one(upper, lower, name, prefix + name));
    return {};
  }
  std::vector<Altered> take() { return std::move(found_); }

 private:
  Result<void> read_one(const sys::Fd& upper, const sys::Fd& lower, const std::string& name,
                        const std::string& path) {
    const auto now = sys::status_at(upper, name);
    if (!now) return sys::to_error(now.error(), "look at", path);
    const auto before = sys::status_at(lower, name);
    if (now->kind == FileKind::device)
      return before ? removed(lower, name, path, *before) : Result<void>();
    if (!before) return created(lower, path, *now);
    if (now->kind == FileKind::directory && before->kind == FileKind::directory)
      return directory(upper, lower, name, path, *now, *before);
    if (now->kind == FileKind::file && before->kind == FileKind::file) {
      const bool is_same = now->size == before->size && same_file(upper, lower, name);
      if (is_same && now->mode == before->mode) return {};
      return add({.what = What::changed,
                  .path = path,
                  .mode = now->mode,
                  .before = Version::of(*before),
                  .mode_before = before->mode,
                  .only_mode = is_same,
                  .meanwhile = is_later(*before)});
    }
    if (now->kind == FileKind::symlink && before->kind == FileKind::symlink &&
        sys::read_link_at(upper, name) == sys::read_link_at(lower, name))
      return {};
    return replaced(lower, name, path, *now, *before);
  }

  Result<void> directory(const sys::Fd& upper, const sys::Fd& lower, const std::string& name,
                         const std::string& path, const sys::FileStatus& now,
                         const sys::FileStatus& before) {
    const auto above = open_layer(upper, name);
    const auto below = sys::open_beneath(lower, name, sys::Open::directory, sys::Links::refuse);
    if (!above) return sys::to_error(above.error(), "look into", path);
    if (!below) return sys::to_error(below.error(), "look into", path);
    if (sys::has_attribute(*above, kOpaque)) {
      if ((now.mode & kOwner) != kOwner) (void)sys::set_mode(*above, now.mode);  // it is copied
      return replaced(lower, name, path, now, before);
    }
    if (now.mode != before.mode)
      TRY(add({.what = What::changed,
               .path = path,
               .kind = FileKind::directory,
               .mode = now.mode,
               .before = Version::of(before),
               .kind_before = FileKind::directory,
               .mode_before = before.mode,
               .only_mode = true}));
    return read(*above, *below, path + "/");
  }

  Result<void> created(const sys::Fd& lower, const std::string& path, const sys::FileStatus& now) {
    const auto parent = sys::status(lower);
    if (!parent) return sys::to_error(parent.error(), "look at", path);
    return add({.what = What::created,
                .path = path,
                .kind = now.kind,
                .mode = now.mode,
                .parent = parent->inode});
  }

  // What was there made way for something else of the same name.
  Result<void> replaced(const sys::Fd& lower, const std::string& name, const std::string& path,
                        const sys::FileStatus& now, const sys::FileStatus& before) {
    Altered altered = gone(lower, name, path, before);
    altered.what = What::changed;
    altered.kind = now.kind;
    altered.mode = now.mode;
    return add(std::move(altered));
  }

  Result<void> removed(const sys::Fd& lower, const std::string& name, const std::string& path,
                       const sys::FileStatus& before) {
    return add(gone(lower, name, path, before));
  }
  Altered gone(const sys::Fd& lower, const std::string& name, const std::string& path,
               const sys::FileStatus& before) const {
    return {.what = What::removed,
            .path = path,
            .kind = before.kind,
            .before = Version::of(before),
            .kind_before = before.kind,
            .mode_before = before.mode,
            .outline = before.kind == FileKind::directory ? outline(lower, name) : "",
            .meanwhile = is_later(before) || holds_later(lower, name, before.kind)};
  }

  Result<void> add(Altered altered) {
    found_.push_back(std::move(altered));
    if (found_.size() <= limits_.most) return {};
    return Error{Code::too_large,
                 fmt::format("the command changes more than {} paths", limits_.most),
                 "run it for real", "too_many_changes"};
  }

  bool is_later(const sys::FileStatus& status) const {
    return status.changed_ns > limits_.began_ns;
  }
  bool holds_later(const sys::Fd& directory, const std::string& name, FileKind kind) const {
    if (kind != FileKind::directory) return false;
    const auto opened =
        sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
    bool found = !opened;
    if (opened) {
      (void)walk_tree(*opened, [&](const TreeEntry& entry) {
        const auto status = sys::status_at(entry.directory, entry.name);
        found = !status || is_later(*status);
        return !found;
      });
    }
    return found;
  }

  const LayerLimits limits_;
  std::vector<Altered> found_;
};

}  // namespace

sys::OrErrno<sys::Fd> open_layer(const sys::Fd& directory, const std::string& name) {
  auto opened = sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
  if (opened || opened.error() != std::errc::permission_denied) return opened;
  const auto identity = sys::open_beneath(directory, name, sys::Open::identity, sys::Links::refuse);
  const auto status = identity ? sys::status(*identity) : std::unexpected(identity.error());
  if (!status || !sys::set_mode(*identity, status->mode | kOwner)) return opened;
  return sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
}

bool same_file(const sys::Fd& upper, const sys::Fd& lower, const std::string& name) {
  const auto status = sys::status_at(upper, name);
  if (!status) return false;
  const auto a = open_to_copy(upper, name, *status);
  const auto b = sys::open_beneath(lower, name, sys::Open::read, sys::Links::refuse);
  return a && b && same_bytes(*a, *b);
}

Result<std::vector<Altered>> read_layer(const sys::Fd& upper, const sys::Fd& lower,
                                        const LayerLimits& limits) {
  Reader reader(limits);
  TRY(reader.read(upper, lower, ""));
  return reader.take();
}

void strip_layer(const sys::Fd& upper) {
  std::vector<std::string> untouched;
  (void)walk_tree(upper, [&](const TreeEntry& entry) {
    if (!protected_part(entry.name).empty()) untouched.emplace_back(entry.path);
    if (entry.kind == FileKind::fifo || entry.kind == FileKind::socket)
      (void)sys::remove_file_at(entry.directory, entry.name);
    if (entry.kind == FileKind::file || entry.kind == FileKind::directory) {
      const auto opened =
          sys::open_beneath(entry.directory, entry.name,
                            entry.kind == FileKind::file ? sys::Open::read : sys::Open::directory,
                            sys::Links::refuse);
      if (opened) sys::remove_attributes(*opened, kMarks);
    }
    return true;
  });
  for (const std::string& path : untouched) {
    const auto [inner, name] = split_name(path);
    const auto parent = sys::open_beneath(upper, inner, sys::Open::directory, sys::Links::refuse);
    if (parent) (void)remove_tree_at(*parent, std::string(name));
  }
}

bool is_as_before(const Altered& altered, const sys::Fd& lower) {
  const auto [directory, name] = split_name(altered.path);
  const auto parent = sys::open_beneath(lower, directory, sys::Open::directory, sys::Links::refuse);
  const auto now = parent ? sys::status_at(*parent, name) : std::unexpected(parent.error());
  if (altered.what == What::created) {
    const auto around = parent ? sys::status(*parent) : std::unexpected(parent.error());
    return around && (altered.parent == 0 || altered.parent == around->inode) && !now &&
           now.error() == std::errc::no_such_file_or_directory;
  }
  if (!now || now->kind != altered.kind_before) return false;
  if (altered.only_mode && now->mode != altered.mode_before) return false;
  if (altered.was_directory() && altered.only_mode) return now->inode == altered.before->inode;
  if (altered.was_directory())
    return !altered.outline.empty() && outline(*parent, std::string(name)) == altered.outline;
  return Version::of(*now).is(*altered.before);
}

}  // namespace helve::workspace
