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
  if (change.before.kind != Kind::moved && is_as(now, change.before)) return {};  // as it was
  if (!is_as(now, change.after)) return changed_since(path, change, now);
  Difference difference{.path = shown(path)};
  difference.before = now.content;
  std::optional<Version> expected;
  if (now.status) expected = Version::of(*now.status);
  switch (change.before.kind) {
    case Kind::absent:
      // What was moved here is moved back by the change of the other path.
      if (change.after.kind == Kind::moved) return {};
      changes_.push_back({.kind = Change::Kind::remove, .path = path, .expected = expected});
      break;
    case Kind::moved: {
      const Now there = look(change.before.from);
      PathState moved = change.before;
      if (!is_as(there, moved)) return changed_since(change.before.from, change, there);
      // Something else comes back to where it was moved: then it is written, not moved.
      const auto other = net_.find(change.before.from);
      const bool is_taken = other != net_.end() && other->second.before.kind != Kind::absent;
      if (is_taken) {
        changes_.push_back({.path = path,
                            .content = there.content.value_or(""),
                            .like = change.before.from,
                            .on_conflict = OnConflict::error});
      } else {
        changes_.push_back({.kind = Change::Kind::move,
                            .path = change.before.from,
                            .to = path,
                            .on_conflict = OnConflict::error});
      }
      difference.note = fmt::format("moved back from {}", shown(change.before.from));
      break;
    }
    case Kind::kept:
      TRY(plan_kept(path, change.before, now));
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

Result<void> History::plan_kept(const std::string& path, const PathState& state, const Now& now) {
  if (state.file().kind == sys::FileKind::directory) return plan_tree(path, state);
  Change change{.kind = state.file().kind == sys::FileKind::symlink ? Change::Kind::link
                                                                    : Change::Kind::write,
                .path = path,
                .content = TRY(content_of(state)),
                .on_conflict = now.status ? OnConflict::overwrite : OnConflict::error};
  if (now.status) {
    change.expected = Version::of(*now.status);
  } else {
    change.mode = state.file().old_mode;
  }
  changes_.push_back(std::move(change));
  return {};
}

Result<void> History::plan_tree(const std::string& path, const PathState& state) {
  const std::string name = state.record->kept_name(state.index);
  const auto kept =
      sys::open_beneath(journal_.kept(), name, sys::Open::directory, sys::Links::refuse);
  if (!kept) {
    return Error{
        Code::not_found,
        fmt::format("what '{}' held is not kept any more", escape_for_display(shown(path))), "",
        "not_kept"};
  }
  std::optional<Error> error;
  changes_.push_back(
      {.kind = Change::Kind::directory, .path = path, .mode = state.file().old_mode});
  const auto walked = walk_tree(*kept, [&](const TreeEntry& entry) {
    Change change{.path = fmt::format("{}/{}", path, entry.path), .on_conflict = OnConflict::error};
    const auto status = sys::status_at(entry.directory, entry.name);
    if (status) change.mode = status->mode;
    if (entry.kind == sys::FileKind::directory) {
      change.kind = Change::Kind::directory;
    } else if (entry.kind == sys::FileKind::symlink) {
      change.kind = Change::Kind::link;
      change.content = sys::read_link_at(entry.directory, entry.name).value_or("");
    } else if (entry.kind == sys::FileKind::file) {
      const auto file =
          sys::open_beneath(entry.directory, entry.name, sys::Open::read, sys::Links::refuse);
      if (file && status) {
        change.content.resize(std::min<std::uint64_t>(status->size, kMaxWrite + 1));
        (void)sys::read_at(*file, change.content, 0);
      }
    } else {
      return true;
    }
    changes_.push_back(std::move(change));
    return true;
  });
  if (!walked) return sys::to_error(walked.error(), "restore", shown(path));
  return {};
}

void History::remove_made() const {
  std::set<std::string, std::greater<>> made;  // what is inside comes first
  for (const Record* record : selected_) made.insert(record->made.begin(), record->made.end());
  for (const std::string& path : made) {
    const auto place = files_.locate(path);
    if (!place || !wants(path)) continue;
    const auto [directory, name] = split_name(place->path);
    const auto opened = sys::open_beneath(place->root->directory, directory, sys::Open::directory,
                                          sys::Links::refuse);
    if (opened) (void)sys::remove_directory_at(*opened, name);
  }
}

Result<Undone> History::undo(const Selection& selection, Rehearsal rehearsal,
                             const Author& author) {
  TRY(select(selection));
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
  undone.applied = TRY(files_.apply(changes_, undoer));
  remove_made();
  return undone;
}

}  // namespace helve::workspace
