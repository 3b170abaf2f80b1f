#include "workspace/comparison.h"

#include <fmt/core.h>

#include <algorithm>

#include "sys/directory.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using What = Changed::What;

constexpr std::uint64_t kMaxShownFile = 1u << 20;  // bytes of a file in a directory
constexpr size_t kMaxCompared = 50'000;            // paths

}  // namespace

void History::Comparison::build_trees() {
  for (const Loaded& loaded : history_.all_) {
    if (&loaded == history_.selected_.front()) break;
    after_.take_back(loaded, UndoneFiles::count);
  }
  before_ = after_;
  for (const Loaded* loaded : history_.selected_) {
    check(*loaded);
    before_.take_back(*loaded, history_.undone_);
    taken_back_.insert(&loaded->record);
  }
  for (const auto& [path, place] : before_.places()) {
    const Source& source = place.source;
    if (source.kind == Source::Kind::nothing || taken_back_.contains(source.record)) continue;
    held_.emplace(source, Held{.path = path});
  }
}

// Compares what the change left with what the tree has, before it is taken back.
void History::Comparison::check(const Loaded& loaded) {
  const Record& record = loaded.record;
  const auto is_meant = [&](size_t i) {
    return history_.undone_ == UndoneFiles::count || !loaded.undone[i];
  };
  std::set<std::string_view> came;
  for (size_t i = 0; i < record.files.size(); ++i) {
    const Record::File& file = record.files[i];
    if (!is_meant(i) || file.what == What::removed) continue;
    const bool is_moved = file.what == What::moved;
    const std::string& path = is_moved ? file.to : file.path;
    came.insert(path);
    check_left(path, {.kind = is_moved ? PathState::Kind::moved : PathState::Kind::written,
                      .record = &record,
                      .index = i});
  }
  for (size_t i = 0; i < record.files.size(); ++i) {
    const Record::File& file = record.files[i];
    const bool is_gone = file.what == What::removed || file.what == What::moved;
    if (is_meant(i) && is_gone && !came.contains(file.path)) check_left(file.path, {});
  }
}

void History::Comparison::check_left(const std::string& path, const PathState& left) {
  const Source found = before_.at(path).source;
  // What a newer one of the changes found is told by the seams.
  if (taken_back_.contains(found.record) || truth_.contains(found)) return;
  Source truth = truth_of(found, left);
  truth_.emplace(found, std::move(truth));
}

Source History::Comparison::truth_of(const Source& found, const PathState& left) {
  if (left.kind == PathState::Kind::absent) return {.kind = Source::Kind::nothing};
  const Source unknown{.kind = Source::Kind::unknown, .record = left.record, .index = left.index};
  const bool is_tree = left.file().kind == sys::FileKind::directory;
  if (is_tree && left.kind == PathState::Kind::written) return restored_from(found, left);
  Now now{.path = found.path};
  if (found.kind == Source::Kind::now) {
    now = history_.look(found.path);
  } else if (found.kind == Source::Kind::kept) {
    Side side{.place = {.source = found, .is_inside = false}, .truth = found};
    look_at(side);
    if (is_tree && !found.path.empty()) return side.is_tree() ? found : unknown;
    now.path = found.file().path;
    now.status = side.status;
    if (auto content = is_tree ? std::nullopt : content_of(side)) {
      now.content = std::move(content->text);
    }
  }
  return history_.is_as(now, left) ? found : unknown;
}

// A directory that an undo restored is what a change that it took back has kept: so whatever came
// into it since does not count. As a rule it bears the same path.
Source History::Comparison::restored_from(const Source& found, const PathState& left) {
  const auto is_it = [&](const Source& kept) {
    return outline_digest(kept) == left.file().new_digest;
  };
  const std::vector<Source>& all = kept_before(*left.record);
  for (const Source& kept : all) {
    if (kept.file().path == left.file().path && is_it(kept)) return kept;
  }
  // It was moved before it was removed; so it is none of those that came back to their paths.
  const auto is_another = [&](const Source& kept) {
    return std::ranges::find(left.record->files, kept.file().path, &Record::File::path) ==
               left.record->files.end() &&
           is_it(kept);
  };
  const auto other = std::ranges::find_if(all, is_another);
  return other != all.end() ? *other : found;
}

// The directories that were kept by the changes which the undo took back.
const std::vector<Source>& History::Comparison::kept_before(const Record& undo) {
  const auto [known, is_new] = kept_before_.try_emplace(&undo);
  std::vector<Source>& all = known->second;
  if (!is_new) return all;
  for (const Undoing& undoing : undo.undoes) {
    const Record* undone = find_record(undoing.id);
    for (size_t i = 0; undone && i < undone->files.size(); ++i) {
      const Record::File& file = undone->files[i];
      if (file.what != What::removed || file.kind != sys::FileKind::directory) continue;
      all.push_back({.kind = Source::Kind::kept, .record = undone, .index = i});
    }
  }
  return all;
}

std::optional<Digest> History::Comparison::outline_digest(const Source& kept) {
  const auto [known, is_new] = outlines_.try_emplace(kept);
  if (!is_new) return known->second;
  const auto directory = open(kept);
  const auto outline =
      directory ? outline_of(*directory, kMaxWrite) : std::unexpected(directory.error());
  if (outline) known->second = digest_of(*outline, history_.journal_.seed());
  return known->second;
}

const Record* History::Comparison::find_record(const std::string& id) {
  for (const Loaded& loaded : history_.all_) {
    if (loaded.record.id == id) return &loaded.record;
  }
  if (const auto known = older_.find(id); known != older_.end()) return &known->second;
  Result<Record> loaded = history_.journal_.load(id);
  return loaded ? &older_.emplace(id, std::move(*loaded)).first->second : nullptr;
}

Source History::Comparison::corrected(const Source& source, const Side* around,
                                      std::string_view name) const {
  if (const auto known = truth_.find(source); known != truth_.end()) return known->second;
  if (!around || !around->is_corrected() || taken_back_.contains(source.record)) return source;
  Source truth = around->truth;
  if (truth.kind != Source::Kind::kept) return {.kind = Source::Kind::nothing};
  if (!truth.path.empty()) truth.path += '/';
  truth.path += name;
  return truth;
}

// Looking at files.

sys::OrErrno<sys::Fd> History::Comparison::open(const Source& directory) const {
  const auto open_below = [](const sys::Fd& root, std::string_view path) {
    return sys::open_beneath(root, path, sys::Open::directory, sys::Links::refuse);
  };
  if (directory.kind == Source::Kind::now) {
    const auto place = history_.files_.locate(directory.path);
    if (place) return open_below(place->root->directory, place->path);
  } else if (directory.kind == Source::Kind::kept) {
    const auto place = history_.journal_.find_kept(*directory.record, directory.index);
    const std::string& path = directory.path;
    if (place) {
      return open_below(*place->directory,
                        path.empty() ? place->name : fmt::format("{}/{}", place->name, path));
    }
  }
  return std::unexpected(std::errc::no_such_file_or_directory);
}

History::Comparison::Side History::Comparison::side_at(const PastTree& tree,
                                                       const std::string& path,
                                                       const Side* around) const {
  PastTree::Place place = tree.at(path);
  Source truth = corrected(place.source, around, path.substr(path.rfind('/') + 1));
  return {std::move(place), std::move(truth)};
}

void History::Comparison::look_at(Side& side) const {
  const Source& truth = side.truth;
  if (truth.kind == Source::Kind::nothing) return;
  const bool is_recorded = truth.kind == Source::Kind::kept && truth.path.empty();
  if (is_recorded || side.is_unknown()) {
    const Record::File& file = truth.file();
    side.status = sys::FileStatus{.kind = file.kind,
                                  .size = file.old.size,
                                  .mode = file.old_mode,
                                  .inode = file.old.inode,
                                  .modified_ns = file.old.modified_ns};
    return;
  }
  const auto [name, directory] = opened_parent(truth);
  const auto status = directory ? sys::status_at(*directory, name)
                                : sys::OrErrno<sys::FileStatus>(std::unexpected(directory.error()));
  if (status) side.status = *status;
}

History::Comparison::Parent History::Comparison::opened_parent(const Source& source) const {
  Source parent = source;
  const size_t slash = source.path.rfind('/');
  parent.path.resize(slash == source.path.npos ? 0 : slash);
  return {slash == source.path.npos ? source.path : source.path.substr(slash + 1), open(parent)};
}

std::optional<History::Content> History::Comparison::content_of(const Side& side) const {
  const std::uint64_t limit = side.place.is_inside ? kMaxShownFile : kMaxKeptFile;
  if (side.is_unknown() || !side.status || side.status->size > limit) return {};
  if (side.truth.kind == Source::Kind::kept) {
    return history_.kept_inside(*side.truth.record, side.truth.index, side.truth.path);
  }
  Now now = history_.look(side.truth.path);
  if (!now.content) return {};
  return Content{std::move(*now.content), git_mode(now.status->kind, now.status->mode)};
}

// Comparing.

// Whether the path, or something in it, may be shown.
bool History::Comparison::is_looked_for(const std::string& path) const {
  if (!history_.only_ || path.empty() || below(path, *history_.only_) || wants(path)) return true;
  const std::string front = path + "/";
  const auto next = history_.net_.lower_bound(front);
  return next != history_.net_.end() && next->first.starts_with(front);
}

// By what the tree before holds the source: itself, or a directory around it.
History::Comparison::Held* History::Comparison::find_held(const Source& source) {
  for (Source key = source;;) {
    if (const auto known = held_.find(key); known != held_.end()) {
      std::string rest = source.path.substr(key.path.size());
      if (!rest.empty() && !rest.starts_with('/')) rest.insert(0, 1, '/');
      return before_.at(known->second.path + rest).source == source ? &known->second : nullptr;
    }
    if (key.path.empty()) return nullptr;
    const size_t slash = key.path.rfind('/');
    key.path.resize(slash == key.path.npos ? 0 : slash);
  }
}

// Whether the selected changes tell what was there before.
bool History::Comparison::is_by_selected(const Side& before) const {
  return taken_back_.contains(before.place.source.record);
}

// Of a directory that was moved: whether its files would leave no room for others. All of them or
// none, since half a directory would be another change.
bool History::Comparison::is_too_large(const Side& side) {
  Held* held = find_held(side.place.source);
  if (!held) return false;
  if (!held->is_too_large) {
    size_t files = 0;
    const auto count = [&](const TreeEntry& entry) {
      if (entry.kind != sys::FileKind::directory) ++files;
      return files <= room_;
    };
    if (const auto directory = open(side.truth)) (void)walk_tree(*directory, count);
    held->is_too_large = files > room_;
    if (!*held->is_too_large) room_ -= files;
  }
  return *held->is_too_large;
}

bool History::Comparison::is_large_itself(const Side& side) const {
  const auto held = held_.find(side.place.source);
  return held != held_.end() && held->second.is_too_large.value_or(false);
}

// Names in the directory about which a change tells something.
void History::Comparison::add_told(const Side& side, std::set<std::string>& names) const {
  const Source& source = side.place.source;
  if (source.kind != Source::Kind::now) return;
  const std::string front = source.path + "/";
  for (auto it = truth_.lower_bound({.path = front});
       it != truth_.end() && it->first.kind == source.kind && it->first.path.starts_with(front);
       ++it) {
    const size_t end = it->first.path.find('/', front.size());
    names.insert(it->first.path.substr(front.size(), end - front.size()));
  }
}

bool History::Comparison::add_held(const Side& side, std::set<std::string>& names) {
  if (!side.is_tree() || is_too_large(side)) return true;
  const auto directory = open(side.truth);
  return directory && sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
           names.emplace(entry.name);
           return names.size() < kMaxMovedEntries;
         });
}

void History::Comparison::compare(const std::string& path, const Around& around) {
  if (!is_looked_for(path)) return;
  if (++compared_ > kMaxCompared || around.depth > 2 * kMaxTreeDepth) {
    is_whole_ = false;
    return;
  }
  Side before = side_at(before_, path, around.before);
  Side after = side_at(after_, path, around.after);
  std::set<std::string> names = before_.names_in(path);
  names.merge(after_.names_in(path));
  const auto is_nothing = [](const Side& side) { return side.truth.kind == Source::Kind::nothing; };
  if (before.place.source != after.place.source) {
    add_told(before, names);
    add_told(after, names);
  }
  const bool is_same = before.truth == after.truth || (is_nothing(before) && is_nothing(after));
  if (!is_same) {
    look_at(before);
    look_at(after);
    if (before.is_leaf() && after.is_leaf()) {
      changed_.push_back({path, before, after});
    } else if (before.is_leaf()) {
      gone_.push_back({path, before});
    } else if (after.is_leaf()) {
      came_.push_back({path, after});
    }
    if (!add_held(before, names) || !add_held(after, names)) is_whole_ = false;
  }
  const bool is_alone = before.is_tree() != after.is_tree();
  // What a change brought here and another took away counts: it may have made the directory, too.
  const bool is_told = !before.place.is_inside && is_by_selected(before);
  if (before.is_leaf() || after.is_leaf() || is_told) ++files_seen_;
  const size_t seen = files_seen_;
  const Around inside{.before = &before,
                      .after = &after,
                      .depth = around.depth + 1,
                      .within = is_alone ? Within::one_of_them : around.within};
  for (const std::string& name : names) compare(path + "/" + name, inside);
  const bool is_empty = is_alone && around.within == Within::both && files_seen_ == seen;
  const auto is_named = [&](const Side& side) {
    return side.is_tree() && (is_empty || is_large_itself(side));
  };
  if (is_named(before)) gone_directories_.push_back({path, before});
  if (is_named(after)) came_directories_.push_back({path, after});
}

}  // namespace helve::workspace
