// The part of workspace/past.h that takes changes back.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/diff.h"
#include "base/text.h"
#include "workspace/git_blobs.h"
#include "workspace/past.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using Kind = PathState::Kind;

constexpr size_t kMaxUnknown = 20;      // paths that are named
constexpr size_t kMaxShownLines = 30;   // of the difference in a conflict
constexpr size_t kMaxShown = 1u << 20;  // bytes of a file whose difference is shown
// From when a change gets its time until its files have their names.
constexpr std::int64_t kLongestStep = 10'000'000'000;  // ns

// To take all back at once would need a certain order.
Error directory_in_the_way(std::string message) {
  return {Code::unsupported, std::move(message), "undo change by change, the newest first",
          "directory_in_the_way"};
}

}  // namespace

// What changed the path, a directory around it, or something in it, after the selected changes and
// still holds: the newest.
std::string History::later_change(const std::string& path) const {
  const Record* newest = nullptr;
  const auto take = [&](const std::vector<Later>& later) {
    const Record* record = later.front().record;
    if (!newest || record->time_ns > newest->time_ns) newest = record;
  };
  for (size_t end = path.size(); end != 0 && end != path.npos; end = path.rfind('/', end - 1)) {
    if (const auto known = later_.find(path.substr(0, end)); known != later_.end()) {
      take(known->second);
    }
  }
  const std::string front = path + "/";
  for (auto it = later_.lower_bound(front); it != later_.end() && it->first.starts_with(front);
       ++it) {
    take(it->second);
  }
  return newest ? newest->id : "";
}

// Which change took away a directory around the path at the same time as the selected one changed
// it: that may have got its time first, and its names after it.
std::string History::removal_around(const std::string& path) const {
  const std::int64_t time = selected_.front()->record.time_ns;
  for (size_t i = 0; const Loaded* loaded = loaded_.at(i); ++i) {
    const Record& record = loaded->record;
    if (record.time_ns < time - kLongestStep) break;
    if (record.time_ns >= time || !loaded->is_open()) continue;
    for (size_t k = 0; k < record.files.size(); ++k) {
      const Record::File& file = record.files[k];
      const bool leaves = file.what == Changed::What::removed || file.what == Changed::What::moved;
      if (leaves && !loaded->undone[k] && file.path != path && below(file.path, path)) {
        return record.id;
      }
    }
  }
  return "";
}

// The undo that left what is there: it may have come to pass while later changes were made.
std::string History::later_undo(const Now& now) const {
  for (const Loaded& loaded : all_) {
    const Record& record = loaded.record;
    if (record.time_ns <= selected_.back()->record.time_ns) break;
    if (record.undoes.empty()) continue;
    for (size_t i = 0; i < record.files.size(); ++i) {
      const Record::File& file = record.files[i];
      const bool is_moved = file.what == Changed::What::moved;
      if (loaded.undone[i] || (is_moved ? file.to : file.path) != now.path) continue;
      if (file.what == Changed::What::removed) continue;
      if (is_as(now, {is_moved ? Kind::moved : Kind::written, &record, i})) return record.id;
    }
  }
  return "";
}

void History::note_later_changes() {
  const std::set<const Loaded*> selected(selected_.begin(), selected_.end());
  std::set<std::string_view> known;  // of the selected ones
  for (const Loaded& loaded : all_) {
    if (loaded.record.time_ns < selected_.back()->record.time_ns) break;
    const bool is_selected = selected.contains(&loaded);
    if (!is_selected && !loaded.is_open()) continue;
    for (size_t i = 0; i < loaded.undone.size(); ++i) {
      if (loaded.undone[i]) continue;
      const Record::File& file = loaded.record.files[i];
      for (const std::string* path : {&file.path, &file.to}) {
        if (path->empty()) continue;
        if (is_selected) {
          known.insert(*path);
        } else {
          later_[*path].push_back({&loaded.record, i, !known.contains(*path)});
        }
      }
    }
  }
}

// To undo a change below another of the same path would leave that one without what it found, even
// where it looks as if nothing had happened. Unless somebody has put there what the change left:
// then nothing is left of the later ones, and they are undone there, too.
bool History::is_below_another(const std::string& path, const Now& now) {
  const auto later = later_.find(path);
  if (later == later_.end() || !later->second.front().is_above) return false;
  std::vector<Undoing> taken_back;
  for (const auto& [record, index, is_above] : later->second) {
    if (!is_above) break;
    const Record::File& file = record->files[index];
    const bool stands_alone = file.kind != sys::FileKind::directory &&
                              file.what != Changed::What::moved && record->renames.empty() &&
                              record->handed_on.empty();
    if (!stands_alone) return true;
    taken_back.push_back({record->id, {path}});
  }
  const auto& [newest, index, is_above] = later->second.front();
  const bool is_gone = newest->files[index].what == Changed::What::removed;
  if (is_as(now, is_gone ? PathState() : PathState{Kind::written, newest, index})) return true;
  taken_back_.insert(taken_back_.end(), taken_back.begin(), taken_back.end());
  return false;
}

Error History::changed_since(const std::string& path, const NetChange& change,
                             const Now& now) const {
  Error error{
      Code::conflict,
      fmt::format("'{}' was changed since, so it is not restored", escape_for_display(shown(path))),
      "look at it with diff, and edit it by hand", "changed_since"};
  if (!now.status) error.message = fmt::format("'{}' is gone", escape_for_display(shown(path)));
  if (const std::string later = later_change(path); !later.empty()) {
    error.hint = fmt::format("undo {} first, a later change of it", escape_for_display(later));
  } else if (const std::string undo = later_undo(now); !undo.empty()) {
    error.hint =
        fmt::format("undo {} first, an undo that brought what is there", escape_for_display(undo));
  } else if (const std::string removal = now.status ? "" : removal_around(path); !removal.empty()) {
    error.hint = fmt::format("undo {} first, which took away a directory around it",
                             escape_for_display(removal));
  }
  if (change.before.kind != Kind::kept || !now.content) return error;
  const Result<std::string> kept = content_of(change.before);
  const std::optional<std::string> text = text_of(*now.content);
  const std::optional<std::string> before = kept ? text_of(*kept) : std::nullopt;
  if (text && before) {
    error.message += ". Restoring it would change this:\n" +
                     short_diff(*text, *before, {.max_lines = kMaxShownLines});
  }
  return error;
}

// Whether it is a directory that a selected change made on the way to a file.
bool History::is_made(const Now& now) const {
  if (!now.status || now.status->kind != sys::FileKind::directory) return false;
  return std::ranges::any_of(selected_, [&](const Loaded* loaded) {
    return std::ranges::find(loaded->record.made, now.path) != loaded->record.made.end();
  });
}

std::optional<std::uint32_t> History::mode_to_restore(const NetChange& change, const Now& now) {
  const bool is_file = now.status && now.status->kind == sys::FileKind::file;
  if (!is_file || !change.only_replaced || !change.modes) return {};
  if (change.modes->after != now.status->mode) return {};  // somebody has given it another since
  const std::uint32_t mode = change.modes->before & 01777;
  return mode == now.status->mode ? std::nullopt : std::optional(mode);
}

Result<void> History::plan(const std::string& path, const NetChange& change) {
  // What bears the name of a directory around it goes.
  const bool is_cleared = std::ranges::any_of(
      cleared_, [&](const std::string& other) { return other != path && below(other, path); });
  const Now now = is_cleared ? Now() : look(path);
  if (now.unknown) return *now.unknown;
  const bool leaves = sources_.contains(path);  // what is there now comes back elsewhere
  const bool is_itself = change.before.kind == Kind::moved && change.before.from == path;
  if (is_itself) return {};
  const bool is_before = !leaves && change.before.kind != Kind::moved && is_as(now, change.before);
  const std::optional<std::uint32_t> mode = mode_to_restore(change, now);
  if (is_before && !mode) {
    if (!later_change(path).empty()) left_.insert(path);
    return {};
  }
  if (is_made(now)) {
    // It goes once it is empty, but only after all else.
    if (change.before.kind == Kind::absent) return {};
    return directory_in_the_way(
        fmt::format("'{}' is a directory now", escape_for_display(shown(path))));
  }
  if ((!is_before && !is_as(now, change.after)) || is_below_another(path, now))
    return changed_since(path, change, now);
  Difference difference{.path = shown(path)};
  const bool is_shown =
      (!now.content || now.content->size() <= kMaxShown) &&
      (change.before.kind != Kind::kept || change.before.file().old.size <= kMaxShown);
  if (!is_shown) difference.note = "as before; it is too large to be shown";
  if (is_before) difference.note = fmt::format("its mode is {:o} again", *mode);
  if (!leaves && is_shown) difference.before = now.content;
  switch (change.before.kind) {
    case Kind::absent:
      if (leaves) return {};  // the change of the other path moves it
      plan_removal(path, now, MakesWay::no);
      if (now.status->kind == sys::FileKind::directory) difference.note = "removed";
      break;
    case Kind::moved: {
      const Now there = look(change.before.from);
      if (there.unknown) return *there.unknown;
      if (!is_as(there, change.before)) return changed_since(change.before.from, change, there);
      if (now.status && !leaves) plan_removal(path, now, MakesWay::yes);
      // In two steps only when something else comes to where it is now: between them it bears
      // neither name.
      const auto takes_its_place = net_.find(change.before.from);
      const bool makes_way =
          takes_its_place != net_.end() && takes_its_place->second.before.kind != Kind::absent;
      changes_.push_back({.kind = Change::Kind::move,
                          .path = change.before.from,
                          .to = path,
                          .expected = Version::of(*there.status),
                          .makes_way = makes_way});
      difference.note = fmt::format("moved back from {}", shown(change.before.from));
      break;
    }
    case Kind::kept:
      TRY(plan_kept(path, change, leaves ? Now() : now));
      if (change.before.file().kind == sys::FileKind::directory) {
        difference.note = "the directory is restored";
      } else if (is_shown) {
        difference.after = changes_.back().content;
      }
      break;
    case Kind::written:
    case Kind::unknown:
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
                      .takes_back = true,  // it was found to be as the change left it
                      .makes_way = makes_way == MakesWay::yes});
  if (now.status->kind != sys::FileKind::directory) cleared_.push_back(path);
}

// Nothing can be put into a directory before what bears its name has gone: it comes back as a
// whole.
Result<void> History::rebuild_directories() {
  for (const std::string& path : cleared_) {
    const auto is_inside = [&](const Change& change) {
      const std::string& goal = change.kind == Change::Kind::move ? change.to : change.path;
      return goal != path && below(path, goal);
    };
    if (std::ranges::none_of(changes_, is_inside)) continue;
    const Rebuilt& rebuilt = rebuilt_.emplace_back(TRY(Rebuilt::make(journal_.kept())));
    std::vector<Change> others;
    for (Change& change : changes_) {
      if (change.path == path && change.kind == Change::Kind::remove) change.makes_way = true;
      if (is_inside(change)) TRY(rebuild(rebuilt, path, change));
      if (!is_inside(change) || change.kind == Change::Kind::remove)
        others.push_back(std::move(change));
    }
    changes_ = std::move(others);
    changes_.push_back(TRY(rebuilt.change(path)));
  }
  return {};
}

// A move becomes a copy and a removal.
Result<void> History::rebuild(const Rebuilt& rebuilt, const std::string& directory,
                              Change& change) const {
  const std::string goal(
      *below(directory, change.kind == Change::Kind::move ? change.to : change.path));
  if (change.kind == Change::Kind::write)
    return rebuilt.add_file(goal, change.content, change.mode.value_or(0666));
  if (change.kind == Change::Kind::restore)
    return rebuilt.add_copy(goal, *change.kept_in, change.kept);
  if (change.kind != Change::Kind::move) return {};
  const auto place = TRY(files_.locate(change.path));
  const auto [parent, name] = split_name(place.path);
  const auto opened =
      sys::open_beneath(place.root->directory, parent, sys::Open::directory, sys::Links::refuse);
  if (!opened) return sys::to_error(opened.error(), "restore", shown(goal));
  TRY(rebuilt.add_copy(goal, *opened, std::string(name)));
  change.kind = Change::Kind::remove;
  change.to.clear();
  return {};
}

// A file that was replaced kept what it has besides its content; everything else, and what was made
// anew meanwhile, comes back as the journal kept it.
Result<void> History::plan_kept(const std::string& path, const NetChange& change, const Now& now) {
  const PathState& state = change.before;
  const Record::File& file = state.file();
  const bool is_file = file.kind == sys::FileKind::file;
  if (is_file && change.only_replaced && now.status && now.status->kind == sys::FileKind::file) {
    std::string content = TRY(content_of(state));
    Change write{.path = path, .content = std::move(content), .expected = Version::of(*now.status)};
    write.mode = mode_to_restore(change, now);
    write.even_read_only = write.mode.has_value();
    changes_.push_back(std::move(write));
    return {};
  }
  if (now.status) plan_removal(path, now, MakesWay::yes);
  if (file.old_digest || !file.old_blob.empty()) {
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
  for (const Loaded* loaded : selected_) {
    for (const std::string& path : loaded->record.made) {
      if (wants(path)) made.insert(path);
    }
  }
  return {made.begin(), made.end()};
}

// A change that replaced a file left its mode as it was, unless it says so.
bool History::is_mode_whole(const Seam& seam) {
  const PathState &left = seam.left, &found = seam.found;
  const bool is_known = left.kind == Kind::written && left.file().what == Changed::What::replaced &&
                        (found.kind == Kind::kept || found.kind == Kind::moved);
  if (!is_known || !found.inside.empty()) return true;
  const std::uint32_t mode = left.file().new_mode.value_or(left.file().old_mode);
  return ((mode ^ found.file().old_mode) & 0777) == 0;
}

// To take the changes back at once would also take back what others did in between. Only a file
// that is still there keeps the mode that they gave it.
Result<void> History::check_seams() const {
  for (const Seam& seam : seams_) {
    const auto change = net_.find(seam.path);
    if (change == net_.end()) continue;
    const bool keeps_content = is_whole(seam);
    if (keeps_content && (change->second.only_replaced || is_mode_whole(seam))) continue;
    return Error{
        Code::conflict,
        fmt::format("{}'{}' was changed by others after change {}, and then again",
                    keeps_content ? "the mode of " : "", escape_for_display(shown(seam.path)),
                    escape_for_display(seam.older->id)),
        "undo change by change, the newest first; other files by path", "changed_since"};
  }
  return {};
}

// One by one they would take long.
void History::fetch_blobs() {
  std::map<std::string, std::vector<std::string>> wanted;  // by repository
  for (const auto& [path, change] : net_) {
    if (change.before.kind != Kind::kept) continue;
    const Record::File& file = change.before.file();
    if (!file.old_blob.empty()) wanted[file.repository].push_back(file.old_blob);
  }
  for (const auto& [repository, blobs] : wanted) {
    auto read = read_blobs(repository, blobs, kMaxChangeBytes, files_.root_paths());
    if (read) blobs_.merge(*read);
  }
}

// Before anything is read.
Result<void> History::check_room() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, change] : net_) {
    if (change.before.kind == Kind::kept) bytes += change.before.file().old.size;
  }
  if (bytes <= kMaxChangeBytes) return {};
  return Error{Code::too_large,
               fmt::format("{} would be restored, the limit is {}", human_size(bytes),
                           human_size(kMaxChangeBytes)),
               "undo less at once: single changes, or a path", "too_large"};
}

// A change that is named is not passed over; nor one after which others changed the same files, and
// perhaps back again.
Error History::as_before(const Selection& selection, std::vector<Undoing> undoes) {
  Error error{Code::conflict, "everything is already as it was before",
              "changes lists older ones; undo takes the id of one", "nothing_to_undo"};
  if (!left_.empty()) {
    const std::string& path = *left_.begin();
    error.hint =
        fmt::format("undo {} first, a later change of '{}'", escape_for_display(later_change(path)),
                    escape_for_display(shown(path)));
    return error;
  }
  if (selection.id.empty() && selection.session.empty()) needless_ = std::move(undoes);
  return error;
}

// What commands changed besides.
void History::name_unknown(std::vector<std::string>& notes) const {
  std::set<std::string> paths;
  for (const Loaded* loaded : selected_) {
    for (const std::string& path : loaded->record.unknown) {
      if (wants(path)) paths.insert(shown(path));
    }
  }
  size_t named = 0;
  for (const std::string& path : paths) {
    if (++named > kMaxUnknown) break;
    notes.push_back(fmt::format("'{}' stays as it is: what it was before the command is not known",
                                escape_for_display(path)));
  }
  if (paths.size() > kMaxUnknown)
    notes.push_back(fmt::format("{} more stay likewise", paths.size() - kMaxUnknown));
}

Result<Undone> History::undo(const Selection& selection, Rehearsal rehearsal, const Author& author,
                             const std::vector<Undoing>& passed_over) {
  TRY(select(selection, UndoneFiles::are_skipped));
  if (entangled_) {
    return directory_in_the_way(
        fmt::format("'{}' was moved or deleted, and '{}' in it was changed by itself",
                    escape_for_display(shown(entangled_->directory)),
                    escape_for_display(shown(entangled_->inside))));
  }
  TRY(check_seams());
  TRY(check_room());
  fetch_blobs();
  for (const auto& [path, change] : net_) {
    if (change.before.kind == Kind::moved) sources_.insert(change.before.from);
  }
  note_later_changes();
  for (const auto& [path, change] : net_) TRY(plan(path, change));
  TRY(rebuild_directories());
  Author undoer = author;
  undoer.undoes = undoings();
  undoer.after_ns = all_.front().record.time_ns;
  Undone undone;
  for (const Loaded* loaded : selected_) {
    // They come in the same order, those of which nothing is taken back left out.
    if (undone.ids.size() == undoer.undoes.size()) break;
    if (loaded->record.id != undoer.undoes[undone.ids.size()].id) continue;
    undone.ids.push_back(loaded->record.id);
    undone.tools.push_back(loaded->record.tool);
  }
  undone.files = std::move(planned_);
  if (changes_.empty()) return as_before(selection, std::move(undoer.undoes));
  for (const Undoing& passed : passed_over) {
    undoer.undoes.push_back(passed);
    undone.passed_over.push_back(passed.id);
  }
  undoer.undoes.insert(undoer.undoes.end(), taken_back_.begin(), taken_back_.end());
  std::vector<std::string>& notes = undone.applied.notes;
  name_unknown(notes);
  if (!taken_back_.empty()) {
    notes.push_back(
        fmt::format("of later changes of '{}' nothing was left, so that they are undone",
                    escape_for_display(shown(taken_back_.front().paths.front()))));
  }
  if (rehearsal == Rehearsal::yes) return undone;
  undoer.leaves = made_directories();
  // What the journal knows of these was changed by who may.
  for (Change& change : changes_) change.even_guidance = true;
  Result<Applied> applied = files_.apply(changes_, undoer);
  if (!applied) {
    Error error = std::move(applied).error();
    // That hint speaks of options that undo does not have.
    if (error.type == "path_conflict")
      error.hint = "look at it, move it out of the way, undo again";
    return error;
  }
  applied->notes.insert(applied->notes.end(), notes.begin(), notes.end());
  undone.applied = std::move(*applied);
  return undone;
}

}  // namespace helve::workspace
