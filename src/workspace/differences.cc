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

bool History::is_told_apart(const std::string& directory, std::string_view inside) const {
  for (size_t end = inside.find('/');; end = inside.find('/', end + 1)) {
    if (net_.contains(fmt::format("{}/{}", directory, inside.substr(0, end)))) return true;
    if (end == inside.npos) return false;
  }
}

std::optional<sys::Fd> History::open_tree(const PathState& before) const {
  if (before.kind != Kind::kept || before.file().kind != sys::FileKind::directory) return {};
  const auto place = journal_.find_kept(*before.record, before.index);
  if (!place) return {};
  const std::string path =
      before.inside.empty() ? place->name : fmt::format("{}/{}", place->name, before.inside);
  auto kept = sys::open_beneath(*place->directory, path, sys::Open::directory, sys::Links::refuse);
  return kept ? std::optional(std::move(*kept)) : std::nullopt;
}

// Whether the directory that was kept is there again as it was.
bool History::is_restored(const std::string& path, const sys::Fd& kept) const {
  const auto outline = outline_of(kept, kMaxWrite);
  return outline && outline_at(path, outline->size()) == *outline;
}

// Whether a directory that was kept did not hold it.
bool History::was_missing(const PathState& kept) const {
  if (kept.inside.empty()) return false;
  const auto place = journal_.find_kept(*kept.record, kept.index);
  if (!place) return false;
  const auto content =
      read_kept(*place->directory, fmt::format("{}/{}", place->name, kept.inside), kMaxKeptFile);
  return !content && content.error() == std::errc::no_such_file_or_directory;
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
    if (is_told_apart(path, entry.path)) return true;
    Difference difference{.path = fmt::format("{}/{}", shown(path), entry.path)};
    auto content = read_kept(entry.directory, entry.name, kMaxShownFile);
    if (content) {
      (side == Side::before ? difference.old_mode : difference.new_mode) =
          git_mode(content->kind, content->mode);
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
        if (is_told_apart(to, entry.path)) return true;
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
  const auto is_tree = [](const PathState& state) {
    const bool is_known = state.kind != Kind::absent && state.kind != Kind::unknown;
    return is_known && state.inside.empty() && state.file().kind == sys::FileKind::directory;
  };
  const std::optional<sys::Fd> kept = open_tree(change.before);
  if (kept || is_tree(change.before) || is_tree(change.after)) {
    if (kept && !is_tree(change.after)) {
      add_tree(path, *kept, Side::before, found);
      if (change.after.kind != Kind::absent) add_difference(path, {{}, change.after}, found);
    } else if (const auto now = files_.open_directory(path);
               now && change.before.kind == Kind::absent) {
      add_tree(path, *now, Side::after, found);
    } else if (!kept || !is_restored(path, *kept)) {
      add_note(found, difference.path, "a directory");
    }
    return;
  }
  const auto take = [&](std::optional<Content> content, std::optional<std::string>& side,
                        std::uint32_t& mode, std::string_view missing) {
    if (!content) {
      difference.note = missing;
      return;
    }
    mode = content->mode;
    found.bytes += content->text.size();
    side = std::move(content->text);
  };
  constexpr std::string_view kNotBefore = "what was there before is not kept any more";
  constexpr std::string_view kNotAfter = "what it became is not kept any more";
  if (change.before.kind == Kind::kept && !was_missing(change.before)) {
    take(kept_inside(*change.before.record, change.before.index, change.before.inside),
         difference.before, difference.old_mode, kNotBefore);
  } else if (change.before.kind == Kind::moved) {
    take(content_after(change.before.from, change.before, newest), difference.before,
         difference.old_mode, kNotBefore);
  } else if (change.before.kind == Kind::unknown) {
    difference.note = "not shown: it was in a directory that made way for another";
  }
  if (change.after.kind != Kind::absent) {
    take(content_after(path, change.after, newest), difference.after, difference.new_mode,
         kNotAfter);
  }
  const bool is_same =
      difference.before == difference.after && difference.old_mode == difference.new_mode;
  if (difference.note.empty() && is_same) return;
  found.files.push_back(std::move(difference));
}

std::map<std::string, std::string> History::renames() const {
  std::map<std::string, std::string> next, renames;
  for (const Loaded* loaded : selected_) {
    for (const auto& [from, to] : loaded->record.renames) next.emplace(from, to);
  }
  for (const auto& [from, first] : next) {
    std::string to = first;
    for (size_t i = 0; i < next.size() && next.contains(to); ++i) to = next.at(to);
    const auto gone = net_.find(from), came = net_.find(to);
    if (gone == net_.end() || came == net_.end()) continue;
    const PathState& before = gone->second.before;
    if (before.kind == Kind::kept && before.file().kind == sys::FileKind::file &&
        gone->second.after.kind == Kind::absent && came->second.before.kind == Kind::absent &&
        came->second.after.kind == Kind::written) {
      renames.emplace(from, to);
    }
  }
  return renames;
}

Result<Differences> History::differences(const Selection& selection) {
  TRY(select(selection, UndoneFiles::count));
  Differences found;
  for (const Loaded* loaded : selected_) found.ids.push_back(loaded->record.id);
  const std::map<std::string, std::string> rewritten = renames();
  std::set<std::string> arrived;
  for (const auto& [from, to] : rewritten) arrived.insert(to);
  for (const auto& [path, change] : net_) {
    if (is_rename(change)) arrived.insert(change.before.from);
  }
  for (const auto& [path, change] : net_) {
    if (is_rename(change)) {
      add_rename(path, change.before, found);
    } else if (const auto to = rewritten.find(path); to != rewritten.end()) {
      const size_t count = found.files.size();
      add_difference(to->second, {change.before, net_.at(to->second).after}, found);
      if (found.files.size() == count) found.files.push_back({.path = shown(to->second)});
      found.files.back().renamed_from = shown(path);
    } else if (!arrived.contains(path)) {
      add_difference(path, change, found);
    }
  }
  std::ranges::sort(found.files, {}, &Difference::path);
  return found;
}

}  // namespace helve::workspace
