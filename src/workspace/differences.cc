// The part of workspace/past.h that shows what changes did to files.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "workspace/past.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

constexpr size_t kMaxShownFiles = 4096;            // of all
constexpr std::uint64_t kMaxShownFile = 1u << 20;  // bytes of a file in a directory
// Bytes of all contents before and after; the last file that is taken in may have more.
constexpr std::uint64_t kMaxShownBytes = 128u << 20;

bool is_executable(std::uint32_t mode) { return (mode & 0100) != 0; }

void add_note(Differences& found, std::string path, std::string note) {
  found.files.push_back({.path = std::move(path), .note = std::move(note)});
}

}  // namespace

// What was moved to where nothing was, and from where nothing is now.
bool History::is_rename(const NetChange& change) const {
  if (change.before.kind != Kind::moved || change.after.kind != Kind::absent) return false;
  const auto to = net_.find(change.before.from);
  return to != net_.end() && to->second.before.kind == Kind::absent;
}

// All files of a directory came or went.
void History::add_tree(const std::string& path, const sys::Fd& directory, Side side,
                       Differences& found) const {
  bool is_empty = true, is_whole = true;
  const auto walked = walk_tree(directory, [&](const TreeEntry& entry) {
    if (entry.kind == sys::FileKind::directory) return true;
    if (found.files.size() >= kMaxShownFiles || found.bytes >= kMaxShownBytes) {
      return is_whole = false;
    }
    is_empty = false;
    Difference difference{.path = fmt::format("{}/{}", shown(path), entry.path),
                          .is_link = entry.kind == sys::FileKind::symlink};
    auto content = read_kept(entry.directory, entry.name, kMaxShownFile);
    if (content) {
      difference.is_executable = is_executable(content->mode);
      found.bytes += content->text.size();
      (side == Side::before ? difference.before : difference.after) = std::move(content->text);
    } else {
      difference.note = "left out: large, or no file";
    }
    found.files.push_back(std::move(difference));
    return true;
  });
  const std::string_view what = side == Side::before ? "deleted" : "restored";
  if (!walked || !is_whole) {
    add_note(found, shown(path), fmt::format("not all of what was {} is shown", what));
  } else if (is_empty) {
    add_note(found, shown(path), fmt::format("an empty directory was {}", what));
  }
}

void History::add_rename(const std::string& from, const PathState& state,
                         Differences& found) const {
  const std::string &to = state.from, old_name = shown(from), new_name = shown(to);
  if (state.file().kind != sys::FileKind::directory) {
    found.files.push_back({.path = new_name, .renamed_from = old_name});
    return;
  }
  const auto place = files_.locate(to);
  const auto directory = place ? sys::open_beneath(place->root->directory, place->path,
                                                   sys::Open::directory, sys::Links::refuse)
                               : sys::OrErrno<sys::Fd>(std::unexpected(std::errc::io_error));
  bool is_empty = true, is_whole = directory.has_value();
  const auto walked =
      !directory ? sys::OrErrno<void>() : walk_tree(*directory, [&](const TreeEntry& entry) {
        if (entry.kind == sys::FileKind::directory) return true;
        if (found.files.size() >= kMaxShownFiles) return is_whole = false;
        is_empty = false;
        found.files.push_back({.path = fmt::format("{}/{}", new_name, entry.path),
                               .renamed_from = fmt::format("{}/{}", old_name, entry.path)});
        return true;
      });
  if (walked && is_whole && !is_empty) return;
  add_note(found, new_name, fmt::format("a directory, moved from {}", old_name));
}

void History::add_difference(const std::string& path, const NetChange& change,
                             Differences& found) const {
  const Record& newest = selected_.front()->record;
  Difference difference{.path = shown(path)};
  if (found.bytes >= kMaxShownBytes) {
    return add_note(found, difference.path,
                    fmt::format("left out, more than {} would be compared at once: ask for this "
                                "path alone",
                                human_size(kMaxShownBytes)));
  }
  const auto take = [&](std::optional<Content> content, const PathState& state,
                        std::optional<std::string>& side, std::string_view missing) {
    difference.is_link |= state.file().kind == sys::FileKind::symlink;
    if (!content) {
      difference.note = missing;
      return;
    }
    difference.is_executable = is_executable(content->mode);
    found.bytes += content->text.size();
    side = std::move(content->text);
  };
  constexpr std::string_view kNotBefore = "what was there before is not kept any more";
  constexpr std::string_view kNotAfter = "what it became is not kept any more";
  const auto is_tree = [](const PathState& state) {
    return state.kind != Kind::absent && state.file().kind == sys::FileKind::directory;
  };
  if (is_tree(change.before) || is_tree(change.after)) {
    const auto place = change.before.kind == Kind::kept
                           ? journal_.find_kept(*change.before.record, change.before.index)
                           : Result<Journal::KeptPlace>(Error{});
    const auto kept = place ? sys::open_beneath(*place->directory, place->name,
                                                sys::Open::directory, sys::Links::refuse)
                            : sys::OrErrno<sys::Fd>(std::unexpected(std::errc::io_error));
    if (kept) {
      add_tree(path, *kept, Side::before, found);
    } else if (const auto now = files_.open_directory(path);
               now && change.before.kind == Kind::absent) {
      add_tree(path, *now, Side::after, found);
    } else {
      add_note(found, difference.path, "a directory");
    }
    return;
  }
  if (change.before.kind == Kind::kept) {
    take(kept_inside(*change.before.record, change.before.index, ""), change.before,
         difference.before, kNotBefore);
  } else if (change.before.kind == Kind::moved) {
    take(content_after(change.before.from, change.before, newest), change.before, difference.before,
         kNotBefore);
  }
  if (change.after.kind != Kind::absent) {
    take(content_after(path, change.after, newest), change.after, difference.after, kNotAfter);
  }
  if (difference.note.empty() && difference.before == difference.after) return;
  found.files.push_back(std::move(difference));
}

Result<Differences> History::differences(const Selection& selection) {
  TRY(select(selection, UndoneFiles::count));
  Differences found;
  for (const Loaded* loaded : selected_) found.ids.push_back(loaded->record.id);
  std::set<std::string> arrived;
  for (const auto& [path, change] : net_) {
    if (is_rename(change)) arrived.insert(change.before.from);
  }
  for (const auto& [path, change] : net_) {
    if (is_rename(change)) {
      add_rename(path, change.before, found);
    } else if (!arrived.contains(path)) {
      add_difference(path, change, found);
    }
  }
  std::ranges::sort(found.files, {}, &Difference::path);
  return found;
}

}  // namespace helve::workspace
