#include "search/index_live.h"

#include <algorithm>
#include <array>
#include <deque>
#include <ranges>

#include "search/ignore.h"

namespace helve::search {
namespace {

constexpr size_t kMaxWatches = 200'000;
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

bool is_below(std::string_view directory, std::string_view path) {
  return directory.empty() || (path.size() > directory.size() && path.starts_with(directory) &&
                               path[directory.size()] == '/');
}

std::set<std::string> as_set(const std::vector<std::string>& paths) {
  return {paths.begin(), paths.end()};
}

// The stamp of what is at an absolute path; all zero when there is nothing.
FileStamp stamp_at(const std::string& path) {
  const auto status = sys::status_of(path);
  return status ? stamp_of(*status) : FileStamp();
}

}  // namespace

// What one thread of a walk has come across.
struct LiveIndex::Seen {
  std::vector<std::pair<std::string, FileStamp>> files;
  std::vector<std::pair<int, std::string>> directories;
};

class LiveIndex::Lister final : public Visitor {
 public:
  // `prefix` is where the walk begins, below the root. Without `inotify` directories are not
  // watched.
  Lister(std::string_view prefix, const sys::DirectoryWatch* inotify)
      : prefix_(prefix), inotify_(inotify) {}

  Next visit(const Item& item) override {
    if (item.kind == sys::FileKind::directory) return inotify_ ? watch(item) : Next::go_on;
    if (item.kind != sys::FileKind::file) return Next::go_on;
    if (const auto status = sys::status_at(item.directory, item.name))
      seen_.files.emplace_back(joined(prefix_, item.path), stamp_of(*status));
    return Next::go_on;
  }
  Seen& seen() { return seen_; }
  bool failed() const { return failed_; }

 private:
  // Before its entries are read: what changes after that is told.
  Next watch(const Item& item) {
    const auto directory =
        sys::open_beneath(item.directory, item.name, sys::Open::directory, sys::Links::refuse);
    if (!directory) return Next::go_on;  // the walk reports it
    const auto watch = inotify_->watch(*directory);
    failed_ = !watch || seen_.directories.size() >= kMaxWatches;
    if (failed_) return Next::stop;
    seen_.directories.emplace_back(*watch, joined(prefix_, item.path));
    return Next::go_on;
  }

  std::string_view prefix_;
  const sys::DirectoryWatch* inotify_;
  Seen seen_;
  bool failed_ = false;
};

LiveIndex::LiveIndex(const sys::Fd& root, std::string root_path, Index& index)
    : root_(root), root_path_(std::move(root_path)), index_(index), segments_(index.segments()) {}

bool LiveIndex::start(const WalkOptions& limits) {
  std::lock_guard lock(mutex_);
  return refresh(limits);
}

bool LiveIndex::visit_files(std::string_view directory, const WalkOptions& limits,
                            const FileVisit& visit) {
  std::lock_guard lock(mutex_);
  if (!refresh(limits)) return false;
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    for (std::uint32_t file = segment.first_below(directory);
         file < segment.file_count() && is_below(directory, segment.path(file)); ++file)
      if (known_[i][file]) visit(segment.path(file), segment.stamp(file).modified_ns);
  }
  for (const auto& [path, stamp] : loose_)
    if (is_below(directory, path)) visit(path, stamp.modified_ns);
  return true;
}

Result<std::optional<AllToSearch>> LiveIndex::files(std::string_view directory,
                                                    const Required& required, Together together,
                                                    const Around& around,
                                                    const WalkOptions& limits) {
  std::lock_guard lock(mutex_);
  if (!refresh(limits)) return std::optional<AllToSearch>();
  std::vector<ToSearch> out;
  const std::optional<Narrowed> narrowed = TRY(Narrowed::make(segments_, required, together));
  for (size_t i = 0; i < segments_->size(); ++i) {
    const Segment& segment = (*segments_)[i];
    const auto add = [&](std::uint32_t file) {
      if (!known_[i][file] || !is_below(directory, segment.path(file))) return;
      ToSearch next{.path = std::string(segment.path(file))};
      if (narrowed)
        next.look = narrowed->look({static_cast<std::uint32_t>(i), file}, around, next.parts);
      next.stamp = segment.stamp(file);
      out.push_back(std::move(next));
    };
    if (narrowed)
      std::ranges::for_each(narrowed->files(i), add);
    else
      for (std::uint32_t file = 0; file < segment.file_count(); ++file) add(file);
  }
  const size_t from_index = out.size();
  for (const auto& [path, stamp] : loose_)
    if (is_below(directory, path)) out.push_back({.path = path});
  // Mostly in order: one segment, and a few loose files.
  if (segments_->size() > 1 || out.size() > from_index)
    std::ranges::sort(out, path_less, &ToSearch::path);
  AllToSearch all{.files = std::move(out)};
  for (const WalkReport::Unreadable& each : unreadable_)
    if (each.path == directory || is_below(directory, each.path)) all.unreadable.push_back(each);
  all.unreadable_count = directory.empty() ? unreadable_count_ : all.unreadable.size();
  return std::optional(std::move(all));
}

bool LiveIndex::refresh(const WalkOptions& limits) {
  if (cannot_watch_) return false;
  if (is_watched_) take_events();
  if (is_watched_ && rules_changed()) is_watched_ = false;
  if (!is_watched_) return walk_all(limits);
  for (const std::string& directory : std::exchange(to_list_, {}))
    if (!list_again(directory, limits)) return walk_all(limits);
  for (const std::string& path : std::exchange(to_stat_, {})) look_again(path);
  return true;
}

void LiveIndex::take_events() {
  const auto drained = inotify_->drain([&](const sys::DirectoryWatch::Event& event) {
    const auto directory = directories_.find(event.watch);
    // What came, went or moved with all it holds is not followed: the tree is walked again.
    if (event.lost || (event.is_directory && !event.name.empty()) ||
        (event.ended && directory != directories_.end()) || is_rule(event.name)) {
      is_watched_ = false;
      return;
    }
    if (directory == directories_.end() || event.name.empty()) return;
    if (event.entry)
      to_list_.insert(directory->second);
    else
      to_stat_.insert(joined(directory->second, event.name));
  });
  if (!drained) is_watched_ = false;
}

bool LiveIndex::walk_all(const WalkOptions& limits) {
  is_watched_ = false;
  directories_.clear();
  to_list_.clear();
  to_stat_.clear();
  loose_.clear();
  auto inotify = sys::DirectoryWatch::make();
  const auto root_watch = inotify ? inotify->watch(root_) : std::unexpected(inotify.error());
  if (!root_watch || !sys::is_local(root_)) {
    cannot_watch_ = true;
    return false;
  }
  inotify_ = std::move(*inotify);
  std::deque<Lister> listers;
  sys::OrErrno<WalkReport> report;
  // The rules are looked at before a walk follows them, so that a change in between is seen. Where
  // all of them are is known only after a walk.
  for (bool all_known = false; !all_known;) {
    (void)rules_changed();
    listers.clear();
    report = walk(root_, {.stop = limits.stop, .deadline = limits.deadline},
                  [&]() -> Visitor& { return listers.emplace_back("", &*inotify_); });
    cannot_watch_ = std::ranges::any_of(listers, &Lister::failed);
    if (!report || report->end != WalkReport::End::complete) return false;
    all_known = std::ranges::includes(exclude_files_, as_set(report->exclude_files));
    exclude_files_.insert(report->exclude_files.begin(), report->exclude_files.end());
  }
  unreadable_ = report->unreadable;
  unreadable_count_ = report->unreadable_count;
  directories_.emplace(*root_watch, "");
  set_segments();
  for (Lister& lister : listers) {
    for (auto& [watch, path] : lister.seen().directories)
      directories_.emplace(watch, std::move(path));
    for (const auto& [path, stamp] : lister.seen().files) place(path, stamp);
  }
  is_watched_ = true;
  return true;
}

bool LiveIndex::list_again(const std::string& path, const WalkOptions& limits) {
  const auto directory =
      sys::open_beneath(root_, path.empty() ? "." : path, sys::Open::directory, sys::Links::refuse);
  if (!directory) return false;
  std::deque<Lister> listers;
  const auto report = walk(
      *directory, {.max_depth = 1, .threads = 1, .stop = limits.stop, .deadline = limits.deadline},
      [&]() -> Visitor& { return listers.emplace_back(path, nullptr); });
  if (!report || report->end != WalkReport::End::complete) return false;
  forget_files_of(path);
  for (Lister& lister : listers)
    for (const auto& [file, stamp] : lister.seen().files) place(file, stamp);
  return true;
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
  place_as_it_is(path);
}

void LiveIndex::set_segments() {
  segments_ = index_.segments();
  known_.clear();
  for (size_t i = 0; i < segments_->size(); ++i) known_.emplace_back((*segments_)[i].file_count());
}

void LiveIndex::place_as_it_is(const std::string& path) {
  const auto file = sys::open_beneath(root_, path, sys::Open::identity, sys::Links::refuse);
  const auto status = file ? sys::status(*file) : std::unexpected(file.error());
  if (status && status->kind == sys::FileKind::file) place(path, stamp_of(*status));
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
    for (std::uint32_t file = segment.first_below(directory);
         file < segment.file_count() && is_below(directory, segment.path(file)); ++file)
      if (is_in(segment.path(file))) known_[i][file] = false;
  }
  std::erase_if(loose_, [&](const auto& file) { return is_in(file.first); });
}

// The rules that a watch of the tree does not tell about. They are few, so they are looked at.
bool LiveIndex::rules_changed() {
  std::vector<std::pair<std::string, FileStamp>> now;
  const auto add = [&](std::string path) {
    const FileStamp stamp = stamp_at(path);
    now.emplace_back(std::move(path), stamp);
  };
  for (std::string_view above = root_path_;; above = above.substr(0, above.rfind('/'))) {
    for (const std::string_view name : kRuleNames) {
      // The time of .git itself changes with every commit.
      if (name != ".git") add(std::string(above) + "/" + std::string(name));
    }
    if (above.empty()) break;
  }
  for (const std::string& path : exclude_files_) add(path);
  if (const std::string global = global_excludes_path(); !global.empty()) add(global);
  const bool changed = now != rules_;
  rules_ = std::move(now);
  return changed;
}

void LiveIndex::use_new_segments() {
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

LiveIndex::Counts LiveIndex::counts() const {
  std::lock_guard lock(mutex_);
  Counts counts{.loose = loose_.size(), .watches = directories_.size()};
  for (const std::vector<bool>& known : known_)
    counts.known += static_cast<size_t>(std::ranges::count(known, true));
  return counts;
}

std::vector<std::string> LiveIndex::loose_files() const {
  std::lock_guard lock(mutex_);
  const auto paths = std::views::keys(loose_);
  return {paths.begin(), paths.end()};
}

std::vector<std::string> LiveIndex::all_files() const {
  std::lock_guard lock(mutex_);
  const auto paths = std::views::keys(loose_);
  std::vector<std::string> all(paths.begin(), paths.end());
  for (size_t i = 0; i < known_.size(); ++i) {
    for (std::uint32_t file = 0; file < known_[i].size(); ++file)
      if (known_[i][file]) all.emplace_back((*segments_)[i].path(file));
  }
  std::ranges::sort(all, path_less);
  return all;
}

}  // namespace helve::search
