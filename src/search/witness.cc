#include "search/witness.h"

#include <algorithm>
#include <array>

#include "search/touched_files.h"
#include "sys/clock.h"
#include "sys/directory.h"
#include "sys/reserved.h"

namespace helve::search {
namespace {

using sys::FileKind;

// Of the watches that the user may have, which other programs want, too.
constexpr std::uint64_t kShareOfWatches = 4;
// The times of files may be behind the clock by a tick of the kernel.
constexpr std::int64_t kSlack = 20;  // ms
constexpr std::string_view kGit = ".git";
constexpr std::string_view kHelve = ".helve";  // the sandbox makes it, and lets nobody change it
constexpr std::array<std::string_view, 3> kRuleNames = {".gitignore", ".ignore", ".rgignore"};

// What helve makes under a name of chance and gives its real one at once: files that tools write,
// names that the sandbox reserves. Another call may be doing that while a command is watched.
bool is_momentary(std::string_view name) {
  constexpr size_t kDigits = 16;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.starts_with(".helve-") && name.size() > kDigits &&
         std::ranges::all_of(name.substr(name.size() - kDigits), is_digit);
}

std::int64_t a_moment_ago() { return (sys::RealClock().unix_ms() - kSlack) * 1'000'000; }

std::string joined(const std::string& directory, std::string_view name) {
  return std::string(directory).append("/").append(name);
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Everything below the path, and not the path itself.
template <typename Map>
auto below(Map& map, const std::string& path) {
  return std::pair(map.lower_bound(path + "/"), map.lower_bound(path + "0"));  // '/' + 1
}

}  // namespace

class Witness::Watch {
 public:
  std::int64_t started_ns = a_moment_ago();
  std::map<std::string, std::optional<Sight>> before = {};  // of what changed since
  std::set<std::string> shown = {};    // what is new here, or only not ignored any more
  std::set<std::string> shared = {};   // what others saw, too
  std::set<std::string> ignored = {};  // files
  std::vector<RepositoryBefore> repositories = {};
  bool head_moved = false, index_changed = false;
};

struct Witness::Directory {
  size_t root = 0;
  int watch = -1;
  Ignore::Ptr rules;
  std::map<std::string, Sight> entries;
};

struct Witness::Git {
  Repository repository;
  int directory_watch = -1, logs_watch = -1;
  std::shared_ptr<const sys::Fd> index;  // null: to be opened anew
};

Witness::Witness(std::vector<Root> roots, size_t max_entries)
    : roots_(std::move(roots)), max_entries_(max_entries) {}
Witness::~Witness() = default;

std::shared_ptr<Witness::Watch> Witness::begin() {
  const std::lock_guard lock(mutex_);
  if (!refresh()) return nullptr;
  auto watch = std::make_shared<Watch>();
  for (const std::unique_ptr<Git>& git : gits_) {
    if (!git->index || !is_watched_) open_index(*git);
    if (git->index) watch->repositories.push_back({git->repository, git->index});
  }
  std::erase_if(watching_, [](const std::weak_ptr<Watch>& each) { return each.expired(); });
  watching_.push_back(watch);
  return watch;
}

Testimony Witness::end(const std::shared_ptr<Watch>& watch, size_t allowance) {
  const std::lock_guard lock(mutex_);
  Testimony told;
  if (!refresh()) return told;
  for (auto& [path, before] : watch->before) {
    std::optional<Sight> now = sight_of(path);
    if (before == now) continue;
    if (now && watch->shown.contains(path) && is_older(path, *now, watch->started_ns)) continue;
    told.changes.push_back({path, std::move(before), std::move(now), watch->shared.contains(path)});
  }
  told.repositories = std::move(watch->repositories);
  told.head_moved = watch->head_moved;
  told.index_changed = watch->index_changed;
  count_ignored(*watch, allowance, told);
  std::erase_if(watching_, [&](const std::weak_ptr<Watch>& each) { return each.lock() == watch; });
  return told;
}

bool Witness::must_tell_too_many() {
  const std::lock_guard lock(mutex_);
  return too_many_ && !std::exchange(told_too_many_, true);
}

bool Witness::refresh() {
  if (too_many_) return false;
  if (!is_listed_) return list_all();
  bool is_lost = !is_watched_;
  std::set<std::pair<std::string, std::string>> touched;  // a directory, and a name in it
  may_have_links_ = false;
  linked_.clear();
  if (is_watched_) {
    std::set<std::string> ended;  // directories
    std::set<std::pair<int, std::string>> came;
    const auto drained = events_->drain([&](const sys::DirectoryWatch::Event& event) {
      is_lost |= event.lost;
      // Nobody can tell any more whether what came and went was another name of a file.
      const auto watch = watches_.find(event.watch);
      std::pair<int, std::string> name(event.watch, event.name);
      if (event.entry && !event.came) may_have_links_ |= came.contains(name);
      if (event.came && watch != watches_.end()) came.insert(std::move(name));
      if (event.ended && watch != watches_.end()) ended.insert(watch->second);
      take_event(event, touched);
    });
    is_lost |= !drained;
    // Another one may bear its name by now, and even have its inode.
    for (const std::string& path : ended) {
      if (directories_.contains(parent_of(path))) see(parent_of(path), name_of(path), {});
    }
  }
  for (const auto& [path, name] : touched) {
    rules_changed_ |= name == kGit || std::ranges::find(kRuleNames, name) != kRuleNames.end();
    is_lost |= rules_changed_;
    if (!is_lost) look(path, name);
  }
  if (is_lost)
    list_anew();
  else if (may_have_links_)
    look_at_all();
  look_at_others();
  rules_changed_ = false;
  return !too_many_;
}

// The first time, and after everything was let go.
bool Witness::list_all() {
  is_listed_ = is_watched_ = true;
  for (const Root& root : roots_) is_watched_ &= sys::is_local(*root.directory);
  auto events = sys::DirectoryWatch::make();
  if (events) events_ = std::move(*events);
  is_watched_ &= events_.has_value();
  max_watches_ = sys::DirectoryWatch::most_watches() / kShareOfWatches;
  find_repositories();
  for (size_t i = 0; i < roots_.size() && !too_many_; ++i) enter(roots_[i].path, i);
  return !too_many_;
}

// Rules may have changed, so that the directories are looked at from the top.
void Witness::list_anew() {
  find_repositories();
  ignored_.clear();
  std::vector<std::string> known;
  for (const auto& [path, directory] : directories_) known.push_back(path);
  for (const std::string& path : known) {
    const auto directory = directories_.find(path);
    if (directory == directories_.end() || too_many_) continue;
    if (const auto opened = open(path, directory->second.root)) list(path, *opened);
  }
}

sys::OrErrno<sys::Fd> Witness::open(const std::string& path, size_t root) const {
  const std::string& top = roots_[root].path;
  return sys::open_beneath(*roots_[root].directory,
                           path.size() > top.size() ? path.substr(top.size() + 1) : ".",
                           sys::Open::directory, sys::Links::refuse);
}

// Watched before it is listed: what comes in between is listed, or told, or both.
void Witness::enter(const std::string& path, size_t root) {
  const auto opened = open(path, root);
  if (!opened) return;
  Directory& directory = directories_[path];
  directory.root = root;
  if (is_watched_) {
    const bool may_watch = watches_.size() < sys::DirectoryWatch::most_watches() / kShareOfWatches;
    const auto watch = may_watch
                           ? events_->watch(*opened)
                           : sys::OrErrno<int>(std::unexpected(std::errc::no_space_on_device));
    is_watched_ = watch.has_value();
    if (watch) watches_[directory.watch = *watch] = path;
  }
  list(path, *opened);
}

void Witness::list(const std::string& path, const sys::Fd& opened) {
  Directory& directory = directories_[path];
  std::vector<std::pair<std::string, std::optional<FileKind>>> names;
  IgnoreNames rule_files;
  (void)sys::for_each_entry(opened, [&](const sys::DirectoryEntry& entry) {
    rule_files.note(entry.name);
    if (!is_left_out(path, entry.name)) names.emplace_back(entry.name, entry.kind);
    return names.size() <= max_entries_;
  });
  const auto parent = directories_.find(parent_of(path));
  const bool is_root = path == roots_[directory.root].path;
  std::vector<Ignore::Unread> unread;
  directory.rules = Ignore::in(
      opened, path, rule_files,
      is_root || parent == directories_.end() ? Ignore::above(path) : parent->second.rules, unread);
  std::set<std::string> gone;
  for (const auto& [name, sight] : directory.entries) gone.insert(name);
  for (const auto& [name, kind] : names) {
    gone.erase(name);
    see(path, name, sight_at(opened, path, name));
    if (too_many_) return;
  }
  for (const std::string& name : gone) see(path, name, {});
}

// What rules leave out is nothing, but for its own list.
std::optional<Sight> Witness::sight_at(const sys::Fd& opened, const std::string& path,
                                       const std::string& name) {
  std::optional<Sight> sight = Sight::at(opened, name);
  if (sight && sys::is_reserved(sight->status)) sight.reset();
  const bool is_directory = sight && sight->is_directory();
  const Ignore::Ptr& rules = directories_[path].rules;
  const std::string whole = joined(path, name);
  const bool is_ignored =
      sight && rules && rules->decide(Candidate(whole, name, is_directory)) == Verdict::matched;
  if (is_ignored && is_directory)
    ignored_.insert(whole);
  else
    ignored_.erase(whole);
  if (is_ignored && !is_directory) note_ignored(whole, sight->status.changed_ns);
  return is_ignored ? std::nullopt : std::move(sight);
}

void Witness::look(const std::string& path, const std::string& name) {
  const auto directory = directories_.find(path);
  if (directory == directories_.end() || too_many_) return;
  const auto opened = open(path, directory->second.root);
  see(path, name, opened ? sight_at(*opened, path, name) : std::nullopt);
}

// A root's own: the repository is told of by itself, and the sandbox lets nobody change the other.
bool Witness::is_left_out(const std::string& path, std::string_view name) const {
  if (is_momentary(name)) return true;
  return (name == kGit || name == kHelve) &&
         std::ranges::any_of(roots_, [&](const Root& root) { return root.path == path; });
}

void Witness::look_at_all() {
  std::vector<std::string> known;
  for (const auto& [path, directory] : directories_) known.push_back(path);
  for (const std::string& path : known) {
    const auto directory = directories_.find(path);
    if (directory == directories_.end() || too_many_) continue;
    const auto opened = open(path, directory->second.root);
    std::vector<std::string> names;
    for (const auto& [name, sight] : directory->second.entries) {
      if (!sight.is_directory()) names.push_back(name);
    }
    for (const std::string& name : names)
      if (opened) see(path, name, sight_at(*opened, path, name));
  }
}

void Witness::look_at_others() {
  if (linked_.empty()) return;
  std::vector<std::pair<std::string, std::string>> others;
  for (const auto& [path, directory] : directories_) {
    for (const auto& [name, sight] : directory.entries) {
      if (linked_.contains({sight.status.device, sight.status.inode}))
        others.emplace_back(path, name);
    }
  }
  for (const auto& [path, name] : others) look(path, name);
}

void Witness::see(const std::string& path, const std::string& name, std::optional<Sight> now) {
  std::map<std::string, Sight>& entries = directories_[path].entries;
  const std::string whole = joined(path, name);
  const auto known = entries.find(name);
  const std::optional<Sight> before =
      known == entries.end() ? std::nullopt : std::optional(known->second);
  if (before == now) return;
  note(whole, before);
  const auto note_links = [&](const std::optional<Sight>& sight) {
    if (sight && !sight->is_directory() && sight->status.links > 1)
      linked_.emplace(sight->status.device, sight->status.inode);
  };
  note_links(before);
  note_links(now);
  const bool is_same = before && now && before->status.same_file(now->status);
  if (before && before->is_directory() && !is_same) leave(whole);
  const bool enters = now && now->is_directory() && !is_same;
  if (!now) {
    entries.erase(known);
    --entries_;
    return;
  }
  if (!before) ++entries_;
  entries.insert_or_assign(name, std::move(*now));
  if (entries_ > max_entries_) return give_up();
  if (!enters || name == kGit || name == kHelve) return;
  // What came into it and went again before it was watched nobody has told.
  may_have_links_ |= is_watched_;
  enter(whole, directories_[path].root);
}

void Witness::leave(const std::string& path) {
  const auto forget = [&](const std::string& at, const Directory& directory) {
    for (const auto& [name, sight] : directory.entries) note(joined(at, name), sight);
    entries_ -= directory.entries.size();
    // One that was moved is watched by its new name.
    const auto watch = watches_.find(directory.watch);
    if (watch == watches_.end() || watch->second != at) return;
    events_->forget(directory.watch);
    watches_.erase(watch);
  };
  const auto [first, last] = below(directories_, path);
  for (auto it = first; it != last; ++it) forget(it->first, it->second);
  directories_.erase(first, last);
  if (const auto itself = directories_.find(path); itself != directories_.end()) {
    forget(path, itself->second);
    directories_.erase(itself);
  }
  const auto [ignored, end] = below(ignored_, path);
  ignored_.erase(ignored, end);
}

void Witness::give_up() {
  too_many_ = true;
  is_watched_ = false;
  events_.reset();
  directories_.clear();
  watches_.clear();
  ignored_.clear();
  gits_.clear();
}

// Only how it was first counts.
void Witness::note(const std::string& path, const std::optional<Sight>& before) {
  const auto is_there = [](const std::weak_ptr<Watch>& each) { return !each.expired(); };
  const bool is_shared = std::ranges::count_if(watching_, is_there) > 1;
  for (const std::weak_ptr<Watch>& each : watching_) {
    const auto watch = each.lock();
    if (!watch) continue;
    if (is_shared) watch->shared.insert(path);
    if (!watch->before.try_emplace(path, before).second) continue;
    if (!before && rules_changed_) watch->shown.insert(path);
  }
}

void Witness::note_ignored(const std::string& path, std::int64_t changed_ns) {
  for (const std::weak_ptr<Watch>& each : watching_) {
    const auto watch = each.lock();
    if (watch && changed_ns >= watch->started_ns) watch->ignored.insert(path);
  }
}

void Witness::take_event(const sys::DirectoryWatch::Event& event,
                         std::set<std::pair<std::string, std::string>>& touched) {
  if (event.watch < 0 || take_git_event(event)) return;
  const auto watch = watches_.find(event.watch);
  if (watch == watches_.end()) return;
  const std::string& path = watch->second;
  if (!event.name.empty()) {
    const bool is_told = event.name == kGit ? event.entry : !is_left_out(path, event.name);
    if (is_told) touched.emplace(path, event.name);
  } else if (directories_.contains(parent_of(path))) {
    touched.emplace(parent_of(path), name_of(path));
  }
}

bool Witness::take_git_event(const sys::DirectoryWatch::Event& event) {
  for (const std::unique_ptr<Git>& git : gits_) {
    const bool is_log = event.watch == git->logs_watch;
    if (event.watch != git->directory_watch && !is_log) continue;
    // The first commit makes the directory of the log, which nobody could watch before.
    const bool moves = event.name == "HEAD" || (!is_log && event.name == "logs");
    const bool indexes = !is_log && event.name == "index";
    if (indexes) git->index.reset();
    for (const std::weak_ptr<Watch>& each : watching_) {
      const auto watch = each.lock();
      if (!watch) continue;
      watch->head_moved |= moves;
      watch->index_changed |= indexes;
    }
    return true;
  }
  return false;
}

void Witness::find_repositories() {
  std::vector<std::unique_ptr<Git>> found;
  for (const Root& root : roots_) {
    std::optional<Repository> repository = repository_of(root.path);
    if (!repository) continue;
    const auto known = std::ranges::find_if(gits_, [&](const std::unique_ptr<Git>& git) {
      return git && git->repository.directory == repository->directory;
    });
    if (known != gits_.end()) {
      found.push_back(std::move(*known));
      continue;
    }
    auto git = std::make_unique<Git>();
    git->repository = std::move(*repository);
    const auto watched = [&](const std::string& path) {
      const auto directory = sys::open_directory(path);
      return directory && is_watched_ ? events_->watch(*directory).value_or(-1) : -1;
    };
    git->directory_watch = watched(git->repository.directory);
    git->logs_watch = watched(git->repository.directory + "/logs");
    found.push_back(std::move(git));
  }
  gits_ = std::move(found);
}

// Git never changes the file, it puts another in its place: what is open here stays as it is.
void Witness::open_index(Git& git) {
  git.index.reset();
  const auto directory = sys::open_directory(git.repository.directory);
  if (!directory) return;
  auto index = sys::open_beneath(*directory, "index", sys::Open::read, sys::Links::refuse);
  if (index) git.index = std::make_shared<const sys::Fd>(std::move(*index));
}

size_t Witness::root_of(const std::string& path) const {
  const auto root = std::ranges::find_if(
      roots_, [&](const Root& each) { return path.starts_with(each.path + "/"); });
  return static_cast<size_t>(root - roots_.begin());
}

// What is not listed any more may be ignored now.
std::optional<Sight> Witness::sight_of(const std::string& path) const {
  const std::string parent = parent_of(path), name = name_of(path);
  if (const auto directory = directories_.find(parent); directory != directories_.end()) {
    const auto known = directory->second.entries.find(name);
    if (known != directory->second.entries.end()) return known->second;
  }
  const auto opened = open(parent, root_of(path));
  return opened ? Sight::at(*opened, name) : std::nullopt;
}

// A directory changes with what comes into it: only its birth tells, where it is known.
bool Witness::is_older(const std::string& path, const Sight& now, std::int64_t than_ns) const {
  if (!now.is_directory()) return now.status.changed_ns < than_ns;
  const auto opened = open(parent_of(path), root_of(path));
  const auto born =
      opened ? sys::birth_at(*opened, name_of(path)) : std::unexpected(opened.error());
  return !born || *born < than_ns;
}

void Witness::count_ignored(const Watch& watch, size_t allowance, Testimony& told) const {
  for (const std::string& path : watch.ignored) told.ignored.push_back({.path = path, .files = 1});
  for (const std::string& path : ignored_) {
    if (allowance == 0) break;
    const auto around = directories_.find(parent_of(path));
    const auto opened = around == directories_.end()
                            ? sys::OrErrno<sys::Fd>(std::unexpected(std::errc::no_such_process))
                            : open(path, around->second.root);
    if (!opened) continue;
    const size_t files = count_touched(*opened, watch.started_ns, allowance);
    if (files == 0) continue;
    told.ignored.push_back(
        {.path = path, .is_directory = true, .files = files, .or_more = allowance == 0});
  }
  std::ranges::sort(told.ignored, {}, &IgnoredSighting::path);
}

}  // namespace helve::search
