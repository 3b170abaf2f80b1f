#include "search/index_live.h"

#include <algorithm>
#include <array>
#include <deque>
#include <ranges>

#include "search/ignore.h"
#include "sys/clock.h"

namespace helve::search {
namespace {

// Of the watches that the user may have, which other programs want, too.
constexpr double kShareOfWatches = 0.5;
constexpr auto kBetweenTries = std::chrono::minutes(1);
constexpr std::array<std::string_view, 4> kRuleNames = {".gitignore", ".ignore", ".rgignore",
                                                        ".git"};

bool is_rule(std::string_view name) {
  return std::ranges::find(kRuleNames, name) != kRuleNames.end();
}

std::string joined(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty()) path += '/';
  return path += name;
}

std::string_view directory_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// The stamp of what is at an absolute path; all zero when there is nothing. Whoever looks each time
// sees changes by other names, too.
FileStamp stamp_at(const std::string& path) {
  auto status = sys::status_of(path);
  if (!status) return {};
  status->links = 1;
  return stamp_before_reading(*status, sys::RealClock().unix_ms());
}

// Which directory or file it is, whatever changes in it.
FileStamp identity_at(const std::string& path) {
  const auto status = sys::status_of(path);
  return status
             ? FileStamp{.size = static_cast<std::uint64_t>(status->kind), .inode = status->inode}
             : FileStamp();
}

}  // namespace

// What the threads of one walk share.
struct LiveIndex::Watching {
  const sys::DirectoryWatch& watch;
  std::uint64_t device = 0;          // of the root
  std::atomic<std::int64_t> left;    // watches that may be made
  std::atomic<bool> failed = false;  // the tree cannot be watched
};

// What one thread of a walk has come across.
class LiveIndex::Lister final : public Visitor {
 public:
  // `prefix` is where the walk begins, below the root. Without `watching` directories are only
  // noted.
  Lister(std::string_view prefix, Watching* watching) : prefix_(prefix), watching_(watching) {}

  Next visit(const Item& item) override {
    if (item.kind == sys::FileKind::directory) return watching_ ? watch(item) : note(item);
    if (item.kind != sys::FileKind::file) return Next::go_on;
    const auto status = sys::status_at(item.directory, item.name);
    // One that only cannot be looked at is searched, so that this is told.
    if (status || !is_gone(status.error()))
      files.emplace_back(joined(prefix_, item.path), status ? stamp_of(*status) : kNeverFresh);
    return Next::go_on;
  }
  void left_out(const Item& item) override {
    // Nothing enters the directory of a repository.
    const bool is_entry = item.kind == sys::FileKind::file ||
                          (item.kind == sys::FileKind::directory && item.name != ".git");
    if (is_entry) left_out_entries.emplace_back(joined(prefix_, item.path), item.kind);
  }

  std::vector<std::pair<std::string, FileStamp>> files;
  std::vector<std::pair<std::string, sys::FileKind>> left_out_entries;
  std::vector<std::pair<int, std::string>> directories;  // with their watches

 private:
  Next note(const Item& item) {
    directories.emplace_back(-1, joined(prefix_, item.path));
    return Next::go_on;
  }
  // Before its entries are read: what changes after that is told.
  Next watch(const Item& item) {
    const auto directory =
        sys::open_beneath(item.directory, item.name, sys::Open::directory, sys::Links::refuse);
    if (!directory) return Next::go_on;  // the walk reports it
    const auto status = sys::status(*directory);
    const bool is_other = !status || status->device != watching_->device;
    const auto watch = watching_->left-- > 0 && (!is_other || sys::is_local(*directory))
                           ? watching_->watch.watch(*directory)
                           : std::unexpected(std::errc::no_space_on_device);
    if (!watch) {
      watching_->failed = true;
      return Next::stop;
    }
    directories.emplace_back(*watch, joined(prefix_, item.path));
    return Next::go_on;
  }

  std::string_view prefix_;
  Watching* watching_;
};

LiveIndex::LiveIndex(const sys::Fd& root, std::string root_path, Index& index)
    : root_(root),
      root_path_(std::move(root_path)),
      index_(index),
      contents_(std::make_shared<Contents>()),
      segments_(index.segments()) {}

bool LiveIndex::refresh(const WalkOptions& limits) {
  if (try_again_ && std::chrono::steady_clock::now() < *try_again_) return false;
  if (is_watched_) take_events();
  if (is_watched_ && rules_changed()) is_watched_ = false;
  if (!is_watched_) return walk_all(limits);
  for (const std::string& directory : std::exchange(to_list_, {}))
    if (!list_again(directory, limits)) return walk_all(limits);
  for (const std::string& path : std::exchange(to_stat_, {})) look_again(path);
  return true;
}

void LiveIndex::take_events() {
  const auto drained =
      watch_->drain([&](const sys::DirectoryWatch::Event& event) { take_event(event); });
  if (!drained) is_watched_ = false;
}

void LiveIndex::take_event(const sys::DirectoryWatch::Event& event) {
  const auto directory = directories_.find(event.watch);
  if (event.lost) {
    is_watched_ = false;
  } else if (directory == directories_.end()) {
    return;  // of a directory that is no longer ours
  } else if (event.ended) {
    if (directory->second.empty()) is_watched_ = false;  // the root itself
  } else if (is_rule(event.name) || (event.is_directory && !event.entry && !event.name.empty())) {
    is_watched_ = false;  // other files may be shown now; other directories may be readable
  } else if (event.name.empty()) {
    return;
  } else if (event.entry) {
    if (event.is_directory) forget_directory(joined(directory->second, event.name));
    to_list_.insert(directory->second);
  } else {
    to_stat_.insert(joined(directory->second, event.name));
  }
}

void LiveIndex::give_up() {
  watch_.reset();  // and with it every watch, which others can have then
  is_watched_ = false;
  try_again_ = std::chrono::steady_clock::now() + kBetweenTries;
}

bool LiveIndex::walk_all(const WalkOptions& limits) {
  is_walking_ = true;
  const auto at_end = [this](void*) { is_walking_ = false; };
  const std::unique_ptr<void, decltype(at_end)> walking(this, at_end);
  is_watched_ = false;
  try_again_.reset();
  directories_.clear();
  watched_.clear();
  to_list_.clear();
  to_stat_.clear();
  loose_.clear();
  left_out_.clear();
  auto watch = sys::DirectoryWatch::make();
  const auto root_watch = watch ? watch->watch(root_) : std::unexpected(watch.error());
  if (!root_watch || !sys::is_local(root_)) {
    give_up();
    return false;
  }
  watch_ = std::move(*watch);
  set_segments();
  // The rules are looked at before a walk follows them, so that a change in between is seen. Where
  // all of them are is known only after a walk.
  for (size_t known = rules_elsewhere_.size() + 1; known != rules_elsewhere_.size();) {
    known = rules_elsewhere_.size();
    unreadable_.clear();
    unreadable_count_ = 0;
    (void)rules_changed();
    add_directory(*root_watch, "");
    if (!walk_below("", limits)) return false;
  }
  is_watched_ = true;
  return true;
}

bool LiveIndex::walk_below(const std::string& path, const WalkOptions& limits) {
  const auto directory =
      sys::open_beneath(root_, path.empty() ? "." : path, sys::Open::directory, sys::Links::refuse);
  const auto root = sys::status(root_);
  if (!directory || !root) return false;
  const auto most = static_cast<std::int64_t>(
      static_cast<double>(sys::DirectoryWatch::most_watches()) * kShareOfWatches);
  Watching watching{.watch = *watch_,
                    .device = root->device,
                    .left = most - static_cast<std::int64_t>(directories_.size())};
  std::deque<Lister> listers;
  const auto report =
      walk(*directory, {.tell_left_out = true, .stop = limits.stop, .deadline = limits.deadline},
           [&]() -> Visitor& { return listers.emplace_back(path, &watching); });
  if (watching.failed) give_up();
  if (watching.failed || !report || report->end != WalkReport::End::complete) return false;
  for (Lister& lister : listers) {
    for (auto& [number, found] : lister.directories) add_directory(number, std::move(found));
    take_files(lister);
  }
  for (const WalkReport::Unreadable& each : report->unreadable)
    unreadable_.push_back({joined(path, each.path), each.error});
  unreadable_count_ += report->unreadable_count;
  rules_elsewhere_.insert(report->rules_elsewhere.begin(), report->rules_elsewhere.end());
  return true;
}

bool LiveIndex::add_directory(int watch, std::string path) {
  watched_.insert_or_assign(path, watch);
  return directories_.insert_or_assign(watch, std::move(path)).second;
}

// With all that it holds: it is gone, or another one by now.
void LiveIndex::forget_directory(std::string_view path) {
  const auto erase_part = [path](auto& map) {
    const auto part = part_of(map, path);
    map.erase(part.begin(), part.end());
  };
  for (const auto& [directory, watch] : part_of(watched_, path)) {
    watch_->forget(watch);
    directories_.erase(watch);
  }
  erase_part(watched_);
  erase_part(loose_);
  erase_part(left_out_);
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    const auto [first, end] = segment.below(path);
    std::fill(known_[i].begin() + first, known_[i].begin() + end, false);
  }
  std::erase_if(unreadable_, [&](const auto& each) {
    if (each.path != path && !is_below(path, each.path)) return false;
    --unreadable_count_;
    return true;
  });
}

bool LiveIndex::list_again(const std::string& path, const WalkOptions& limits) {
  if (!watched_.contains(path)) return true;  // forgotten since
  const auto directory =
      sys::open_beneath(root_, path.empty() ? "." : path, sys::Open::directory, sys::Links::refuse);
  if (!directory) return false;
  std::deque<Lister> listers;
  const auto report = walk(*directory,
                           {.tell_left_out = true,
                            .max_depth = 1,
                            .threads = 1,
                            .stop = limits.stop,
                            .deadline = limits.deadline},
                           [&]() -> Visitor& { return listers.emplace_back(path, nullptr); });
  if (!report || report->end != WalkReport::End::complete) return false;
  forget_files_of(path);
  for (Lister& lister : listers) {
    take_files(lister);
    for (const auto& [none, below] : lister.directories)
      if (!watched_.contains(below) && !add_new_directory(below, limits)) return false;
  }
  return true;
}

bool LiveIndex::add_new_directory(const std::string& path, const WalkOptions& limits) {
  const auto directory = sys::open_beneath(root_, path, sys::Open::directory, sys::Links::refuse);
  if (!directory) return note_unopened(path, directory.error());
  const size_t rules = rules_elsewhere_.size();
  const auto watch = watch_->watch(*directory);
  if (!watch) return false;
  add_directory(*watch, path);
  // A repository that came with it has rules that nobody looked at before.
  return walk_below(path, limits) && rules_elsewhere_.size() == rules;
}

// A directory of which no more than the name is known. False when it has to be looked for anew.
bool LiveIndex::note_unopened(const std::string& path, std::errc error) {
  if (is_gone(error)) return true;  // which an event tells
  if (std::ranges::find(unreadable_, path, &WalkReport::Unreadable::path) != unreadable_.end())
    return true;
  if (error != std::errc::permission_denied || unreadable_.size() >= kMaxUnreadable) return false;
  unreadable_.push_back({path, error});
  ++unreadable_count_;
  return true;
}

void LiveIndex::take_files(Lister& lister) {
  for (const auto& [file, stamp] : lister.files) place(file, stamp);
  for (auto& [entry, kind] : lister.left_out_entries)
    left_out_.insert_or_assign(std::move(entry), kind);
}

void LiveIndex::look_again(const std::string& path) {
  // Only what a listing showed: what the rules leave out stays out.
  bool was_there = loose_.contains(path);
  for (size_t i = 0; i < segments_->size() && !was_there; ++i) {
    const auto file = (*segments_)[i].find(path);
    was_there = file && known_[i][*file];
  }
  if (!was_there) return;
  forget(path);
  contents_->forget(path);
  // It is searched whole until it is indexed anew, even if its times are what they were: a store
  // through a mapping does not always change them.
  const auto file = sys::open_beneath(root_, path, sys::Open::identity, sys::Links::refuse);
  const auto status = file ? sys::status(*file) : std::unexpected(file.error());
  if (status && status->kind == sys::FileKind::file) loose_.emplace(path, stamp_of(*status));
}

void LiveIndex::set_segments() {
  segments_ = index_.segments();
  known_.clear();
  ends_.clear();
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    known_.emplace_back(segment.file_count());
    std::vector<PathEnd>& ends = ends_.emplace_back(segment.file_count());
    for (std::uint32_t file = 0; file < ends.size(); ++file)
      ends[file] = end_of(segment.path(file));
  }
}

void LiveIndex::place(const std::string& path, const FileStamp& stamp) {
  if (const auto ref = segments_->find(path, stamp))
    known_[ref->segment][ref->file] = true;
  else
    loose_.insert_or_assign(path, stamp);
}

void LiveIndex::forget(std::string_view path) {
  for (size_t i = 0; i < segments_->size(); ++i)
    if (const auto file = (*segments_)[i].find(path)) known_[i][*file] = false;
  if (const auto found = loose_.find(path); found != loose_.end()) loose_.erase(found);
}

void LiveIndex::forget_files_of(std::string_view directory) {
  const auto is_in = [&](std::string_view path) { return directory_of(path) == directory; };
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    const auto [first, end] = segment.below(directory);
    for (std::uint32_t file = first; file < end; ++file)
      if (is_in(segment.path(file))) known_[i][file] = false;
  }
  const auto erase_files = [&](auto& map) {
    const auto part = part_of(map, directory);
    for (auto entry = part.begin(); entry != part.end();)
      entry = is_in(entry->first) ? map.erase(entry) : std::next(entry);
  };
  erase_files(loose_);
  erase_files(left_out_);
}

// The rules that a watch of the tree does not tell about. They are few, so they are looked at.
bool LiveIndex::rules_changed() {
  std::vector<std::pair<std::string, FileStamp>> now;
  for (std::string_view above = root_path_;; above = above.substr(0, above.rfind('/'))) {
    for (const std::string_view name : kRuleNames) {
      std::string path = std::string(above) + "/" + std::string(name);
      // The time of .git itself changes with every commit.
      const FileStamp stamp = name == ".git" ? identity_at(path) : stamp_at(path);
      now.emplace_back(std::move(path), stamp);
    }
    if (above.empty()) break;
  }
  for (const std::string& path : rules_elsewhere_) now.emplace_back(path, stamp_at(path));
  if (const std::string global = global_excludes_path(); !global.empty())
    now.emplace_back(global, stamp_at(global));
  const bool is_new = std::ranges::any_of(now, [](const auto& rule) {
    return rule.second == kNeverFresh;  // it changed a moment ago, and may once more
  });
  const bool changed = is_new || now != rules_;
  rules_ = std::move(now);
  return changed;
}

void LiveIndex::use_new_segments() {
  is_walking_ = true;
  const auto at_end = [this](void*) { is_walking_ = false; };
  const std::unique_ptr<void, decltype(at_end)> walking(this, at_end);
  std::lock_guard lock(mutex_);
  if (!is_watched_) return;
  // What was known stays true but for the events that wait; only where it stands has changed.
  std::vector<std::pair<std::string, FileStamp>> files;
  for (size_t i = 0; i < known_.size(); ++i) {
    const Segment& segment = (*segments_)[i];
    for (std::uint32_t file = 0; file < segment.file_count(); ++file)
      if (known_[i][file]) files.emplace_back(segment.path(file), segment.stamp(file));
  }
  for (auto& [path, stamp] : std::exchange(loose_, {})) files.emplace_back(path, stamp);
  set_segments();
  for (const auto& [path, stamp] : files) place(path, stamp);
}

}  // namespace helve::search
