// The part of workspace/past.h that takes changes back.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/diff.h"
#include "base/text.h"
#include "workspace/past.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

constexpr size_t kMaxShownLines = 30;  // of the difference in a conflict

}  // namespace

Error History::changed_since(const std::string& path, const NetChange& change,
                             const Now& now) const {
  Error error{
      Code::conflict,
      fmt::format("'{}' was changed since, so it is not restored", escape_for_display(shown(path))),
      "look at it with diff, and edit it by hand", "changed_since"};
  if (!now.status) error.message = fmt::format("'{}' is gone", escape_for_display(shown(path)));
  if (change.before.kind != Kind::kept || !now.content || !is_text(*now.content)) return error;
  if (const auto before = content_of(change.before); before && is_text(*before)) {
    error.message += ". Restoring it would change this:\n" +
                     short_diff(*now.content, *before, {.max_lines = kMaxShownLines});
  }
  return error;
}

Result<void> History::plan(const std::string& path, const NetChange& change) {
  const Now now = look(path);
  const bool leaves = sources_.contains(path);  // what is there now comes back elsewhere
  const bool is_itself = change.before.kind == Kind::moved && change.before.from == path;
  if (is_itself) return {};
  if (!leaves && change.before.kind != Kind::moved && is_as(now, change.before)) return {};
  if (!is_as(now, change.after)) return changed_since(path, change, now);
  Difference difference{.path = shown(path)};
  if (!leaves) difference.before = now.content;
  switch (change.before.kind) {
    case Kind::absent:
      if (leaves) return {};  // the change of the other path moves it
      plan_removal(path, now, MakesWay::no);
      if (now.status->kind == sys::FileKind::directory) difference.note = "removed";
      break;
    case Kind::moved: {
      const Now there = look(change.before.from);
      if (!is_as(there, change.before)) return changed_since(change.before.from, change, there);
      if (now.status && !leaves) plan_removal(path, now, MakesWay::yes);
      changes_.push_back({.kind = Change::Kind::move,
                          .path = change.before.from,
                          .to = path,
                          .expected = Version::of(*there.status),
                          .makes_way = true});
      difference.note = fmt::format("moved back from {}", shown(change.before.from));
      break;
    }
    case Kind::kept:
      TRY(plan_kept(path, change.before, leaves ? Now() : now));
      if (change.before.file().kind == sys::FileKind::directory) {
        difference.note = "the directory is restored";
      } else {
        difference.after = changes_.back().content;
      }
      break;
    case Kind::written:
      break;
  }
  planned_.push_back(std::move(difference));
  return {};
}

void History::plan_removal(const std::string& path, const Now& now, MakesWay makes_way) {
  changes_.push_back({.kind = Change::Kind::remove,
                      .path = path,
                      .expected = Version::of(*now.status),
                      .tree = now.status->kind == sys::FileKind::directory,
                      .makes_way = makes_way == MakesWay::yes});
}

// A file that is replaced keeps what it has besides its content; everything else, and what was made
// anew meanwhile with another mode, comes back as the journal kept it.
Result<void> History::plan_kept(const std::string& path, const PathState& state, const Now& now) {
  const Record::File& file = state.file();
  const bool is_file = file.kind == sys::FileKind::file;
  if (is_file && now.status && now.status->kind == sys::FileKind::file &&
      now.status->mode == file.old_mode) {
    std::string content = TRY(content_of(state));
    changes_.push_back(
        {.path = path, .content = std::move(content), .expected = Version::of(*now.status)});
    return {};
  }
  if (now.status) plan_removal(path, now, MakesWay::yes);
  if (file.old_digest) {
    // Only of files that have nothing but a content and a mode.
    std::string content = TRY(content_of(state));
    changes_.push_back({.path = path,
                        .content = std::move(content),
                        .on_conflict = OnConflict::error,
                        .mode = file.old_mode & 01777});
    return {};
  }
  Journal::KeptPlace place = TRY(journal_.find_kept(*state.record, state.index));
  std::string essence = TRY(essence_of(state, place));
  changes_.push_back({.kind = Change::Kind::restore,
                      .path = path,
                      .content = std::move(essence),
                      .on_conflict = OnConflict::error,
                      .kept_in = place.directory,
                      .kept = place.name,
                      .kind_kept = file.kind});
  if (place.opened) opened_.push_back(std::move(place.opened));
  return {};
}

// The content of a file, where a link leads, the outline of a directory.
Result<std::string> History::essence_of(const PathState& state,
                                        const Journal::KeptPlace& place) const {
  if (state.file().kind != sys::FileKind::directory) return content_of(state);
  const auto directory =
      sys::open_beneath(*place.directory, place.name, sys::Open::directory, sys::Links::refuse);
  auto outline = directory ? outline_of(*directory, kMaxWrite)
                           : sys::OrErrno<std::string>(std::unexpected(directory.error()));
  if (outline) return std::move(*outline);
  return sys::to_error(outline.error(), "restore", shown(state.file().path));
}

// Innermost first.
std::vector<std::string> History::made_directories() const {
  std::set<std::string, std::greater<>> made;
  for (const Record* record : selected_) {
    for (const std::string& path : record->made) {
      if (wants(path)) made.insert(path);
    }
  }
  return {made.begin(), made.end()};
}

Result<Undone> History::undo(const Selection& selection, Rehearsal rehearsal,
                             const Author& author) {
  TRY(select(selection));
  for (const auto& [path, change] : net_) {
    if (change.before.kind == Kind::moved) sources_.insert(change.before.from);
  }
  for (const auto& [path, change] : net_) TRY(plan(path, change));
  Undone undone;
  for (const Record* record : selected_) undone.ids.push_back(record->id);
  undone.files = std::move(planned_);
  if (changes_.empty()) {
    return Error{Code::conflict, "everything is already as it was before", "", "nothing_to_undo"};
  }
  if (rehearsal == Rehearsal::yes) return undone;
  Author undoer = author;
  if (!is_partial_) undoer.undoes = undone.ids;
  undoer.leaves = made_directories();
  Result<Applied> applied = files_.apply(changes_, undoer);
  if (!applied) {
    Error error = std::move(applied).error();
    // Hints speak of options that undo does not have.
    if (error.code == Code::conflict) error.hint = "look at it, move it out of the way, undo again";
    return error;
  }
  undone.applied = std::move(*applied);
  return undone;
}

}  // namespace helve::workspace
