#include "search/walk.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "search/ignore.h"
#include "search/walk_queue.h"
#include "sys/directory.h"

namespace helve::search {
namespace {

constexpr size_t kBuffer = 64 * 1024;  // bytes of entries that are read at once
// Less room is not worth a call; the longest entry needs 280 bytes.
constexpr size_t kMinRoom = 4096;
constexpr unsigned kMaxThreads = 16;
// Tasks that wait before more threads are started: starting one costs as much as reading some
// directories, or a few files.
constexpr size_t kSpreadDirectories = 32;
constexpr size_t kSpreadBatches = 3;
constexpr std::uint64_t kEntriesBetweenChecks = 64;
// Files that wait keep their directory open. With so many open, no more files wait.
constexpr unsigned kMaxOpenDirectories = 128;

using End = WalkReport::End;

unsigned threads_for(const WalkOptions& options) {
  if (options.threads > 0) return std::min(options.threads, kMaxThreads);
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
}

// What all threads of a walk share.
struct Shared {
  const sys::Fd& root;
  const WalkOptions& options;
  const std::function<Visitor&()>& make_visitor;
  std::string root_path;  // absolute; empty for "/", and when no rules are asked for

  std::atomic<unsigned> open_directories = 0;
  WalkQueue queue = {};
  std::atomic<bool> out_of_memory = false;
  std::atomic<End> end = End::complete;
  std::atomic<unsigned> may_start = 0;  // more threads
  std::mutex mutex = {};                // guards what follows
  WalkReport report = {};
  std::vector<std::jthread> threads = {};
};

struct OpenDirectory {
  OpenDirectory(sys::Fd opened, std::atomic<unsigned>& all) : fd(std::move(opened)), count(all) {
    ++count;
  }
  ~OpenDirectory() { --count; }
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;

  const sys::Fd fd;
  std::atomic<unsigned>& count;
};

// Runs what a thread has to do. Its exceptions say that memory is used up: then the walk ends, and
// the other threads do not wait for this one.
void guarded(Shared& shared, const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
    shared.out_of_memory = true;
    shared.end = End::cancelled;
    shared.queue.leave();
  }
}

// One thread's part of a walk.
class Worker {
 public:
  explicit Worker(Shared& shared)
      : shared_(shared), options_(shared.options), buffer_(new char[kBuffer]) {
    const std::lock_guard lock(shared_.mutex);
    visitor_ = &shared_.make_visitor();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Ends its part.
  void report() {
    const std::lock_guard lock(shared_.mutex);
    WalkReport& all = shared_.report;
    all.directories += report_.directories;
    all.files += report_.files;
    all.unreadable_count += report_.unreadable_count;
    for (auto& each : report_.unreadable) {
      if (all.unreadable.size() < kMaxUnreadable) all.unreadable.push_back(std::move(each));
    }
    std::ranges::move(report_.rules_elsewhere, std::back_inserter(all.rules_elsewhere));
  }

  sys::OrErrno<void> walk_root(Ignore::Ptr ignore) {
    return read_directory({.path = "", .ignore = std::move(ignore)});
  }

  void run() {
    while (std::optional<WalkTask> task = next()) {
      if (should_stop()) continue;  // the rest is only let go
      if (task->files) {
        visit_batch(*task);
      } else if (const auto read = read_directory(*task); !read) {
        note_unreadable(task->path.substr(0, task->path.size() - 1), read.error());
      }
    }
  }

 private:
  enum class Fate : unsigned char { drop, enter, visit };  // `enter`: a directory, not shown itself

  std::optional<WalkTask> next() {
    share();
    if (tasks_.empty()) return shared_.queue.take();
    WalkTask task = std::move(tasks_.back());
    tasks_.pop_back();
    return task;
  }

  void share() {
    if (shared_.queue.is_wanted()) {
      if (tasks_.size() > 1) shared_.queue.give(tasks_);
    } else if (tasks_.size() >= (options_.batch > 0 ? kSpreadBatches : kSpreadDirectories)) {
      if (shared_.may_start.load(std::memory_order_relaxed) > 0) start_thread();
    }
  }
  void start_thread();

  bool should_stop() {
    if (shared_.end != End::complete) return true;
    if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline) {
      stop(End::deadline);
    } else if (options_.stop.stop_requested()) {
      stop(End::cancelled);
    }
    return shared_.end != End::complete;
  }
  void stop(End why) {
    End expected = End::complete;
    shared_.end.compare_exchange_strong(expected, why);
  }

  void note_unreadable(std::string path, std::errc error) {
    if (is_gone(error)) return;
    ++report_.unreadable_count;
    if (report_.unreadable.size() < kMaxUnreadable)
      report_.unreadable.push_back({std::move(path), error});
  }

  sys::OrErrno<void> read_directory(const WalkTask& task);
  Ignore::Ptr rules_of(const sys::Fd& directory, const WalkTask& task,
                       std::span<const char> entries, bool all);
  void handle_entries(std::span<const char> entries, const Ignore* ignore);
  void handle_entry(const sys::DirectoryEntry& entry, const Ignore* ignore);
  Fate fate_of(std::string_view name, bool is_directory, const Ignore* ignore) const;
  void visit_batch(const WalkTask& task);
  Item item(const sys::Fd& directory, std::string_view name, sys::FileKind kind) const {
    return {.directory = directory,
            .name = name,
            .path = std::string_view(path_).substr(root_size()),
            .kind = kind};
  }
  Next visit(const sys::Fd& directory, std::string_view name, sys::FileKind kind) {
    const Next answer = visitor_->visit(item(directory, name, kind));
    if (answer == Next::stop) stop(End::stopped_by_visitor);
    return answer;
  }

  void add_to_batch(std::string_view name, sys::FileKind kind);

  // path_ is absolute: the root, and what is below.
  size_t root_size() const { return shared_.root_path.size() + 1; }
  void set_path(std::string_view directory) {
    path_.assign(shared_.root_path).append("/").append(directory);
    directory_size_ = path_.size();
  }
  void set_name(std::string_view name) {
    path_.resize(directory_size_);
    path_ += name;
  }

  Shared& shared_;
  const WalkOptions& options_;
  Visitor* visitor_;
  WalkReport report_;
  WalkQueue::Tasks tasks_;
  std::unique_ptr<char[]> buffer_;
  std::uint64_t handled_ = 0;

  // Of the directory that is being read.
  const WalkTask* task_ = nullptr;
  std::shared_ptr<const sys::Fd> directory_;
  Ignore::Ptr ignore_;
  std::unique_ptr<FileBatch> batch_;
  std::string path_;
  size_t directory_size_ = 0;  // of path_, with the slash
};

void Worker::start_thread() {
  const std::lock_guard lock(shared_.mutex);
  if (shared_.may_start == 0) return;
  --shared_.may_start;
  shared_.queue.join();
  try {
    shared_.threads.emplace_back([&shared = shared_] {
      guarded(shared, [&] {
        Worker worker(shared);
        worker.run();
        worker.report();
      });
    });
  } catch (const std::exception&) {  // no thread to be had: those that run do it alone
    shared_.queue.leave();
  }
}

sys::OrErrno<void> Worker::read_directory(const WalkTask& task) {
  auto opened = sys::open_beneath(shared_.root, task.path.empty() ? "." : task.path,
                                  sys::Open::directory, sys::Links::refuse);
  if (!opened) return std::unexpected(opened.error());
  task_ = &task;
  const auto directory =
      std::make_shared<const OpenDirectory>(std::move(*opened), shared_.open_directories);
  directory_ = std::shared_ptr<const sys::Fd>(directory, &directory->fd);
  set_path(task.path);
  bool first = true;
  for (bool all = false; !all && !should_stop(); first = false) {
    size_t filled = 0;
    while (!all && kBuffer - filled >= kMinRoom) {
      const auto got =
          sys::read_entries(*directory_, std::span(buffer_.get() + filled, kBuffer - filled));
      if (!got) return std::unexpected(got.error());
      filled += *got;
      all = *got == 0;
    }
    const std::span<const char> entries(buffer_.get(), filled);
    if (first) ignore_ = rules_of(*directory_, task, entries, all);
    handle_entries(entries, ignore_.get());
  }
  ++report_.directories;
  return {};
}

// The names that make rules are looked for among the entries; when there are more entries than the
// buffer holds, by trying.
Ignore::Ptr Worker::rules_of(const sys::Fd& directory, const WalkTask& task,
                             std::span<const char> entries, bool all) {
  if (options_.ignore == IgnoreRules::none) return {};
  IgnoreNames names;
  if (!all) names = {.git = true, .gitignore = true, .ignore = true, .rgignore = true};
  while (const auto entry = sys::next_entry(entries)) names.note(entry->name);
  if (!names.any()) return task.ignore;
  std::vector<Ignore::Unread> unread;
  const std::string_view absolute = std::string_view(path_).substr(0, directory_size_ - 1);
  Ignore::Ptr rules = Ignore::in(directory, absolute, names, task.ignore, unread);
  for (const Ignore::Unread& each : unread) note_unreadable(task.path + each.name, each.error);
  if (rules != task.ignore)
    std::ranges::copy(rules->files_elsewhere(), std::back_inserter(report_.rules_elsewhere));
  return rules;
}

void Worker::handle_entries(std::span<const char> entries, const Ignore* ignore) {
  while (const auto entry = sys::next_entry(entries)) {
    if (++handled_ % kEntriesBetweenChecks == 0 && should_stop()) return;
    handle_entry(*entry, ignore);
    if (shared_.end.load(std::memory_order_relaxed) != End::complete) return;
  }
  if (!batch_) return;
  // The last batch need not wait: this thread goes on with it.
  WalkTask last{.path = task_->path, .files = std::move(batch_)};
  share();
  visit_batch(last);
}

void Worker::handle_entry(const sys::DirectoryEntry& entry, const Ignore* ignore) {
  const std::string_view name = entry.name;
  const bool may_matter = ignore || options_.tell_left_out || options_.hidden == Hidden::show ||
                          (options_.globs && options_.glob_use == GlobUse::overriding);
  if (name[0] == '.' && !may_matter) return;
  std::optional<sys::FileKind> kind = entry.kind;
  if (!kind) {
    const auto status = sys::status_at(*directory_, name);
    if (!status) return;  // gone since its name was read
    kind = status->kind;
  }
  const bool is_directory = *kind == sys::FileKind::directory;
  set_name(name);
  if (!is_directory) ++report_.files;
  const Fate fate = fate_of(name, is_directory, ignore);
  if (fate == Fate::drop) {
    if (options_.tell_left_out) visitor_->left_out(item(*directory_, name, *kind));
    return;
  }
  if (!is_directory && options_.batch > 0) return add_to_batch(name, *kind);
  if (fate == Fate::visit && visit(*directory_, name, *kind) != Next::go_on) return;
  if (!is_directory || task_->depth >= options_.max_depth) return;
  if (name == ".git" && options_.git_directory == GitDirectory::skip) return;
  path_ += '/';
  tasks_.push_back(
      {.path = path_.substr(root_size()), .depth = task_->depth + 1, .ignore = ignore_});
}

Worker::Fate Worker::fate_of(std::string_view name, bool is_directory, const Ignore* ignore) const {
  const GlobSet* globs = options_.globs;
  const bool shown = name[0] != '.' || options_.hidden == Hidden::show;
  if (!globs && !ignore) return shown ? Fate::visit : Fate::drop;
  const Candidate candidate(path_, name, is_directory);
  Verdict by_globs = globs ? globs->decide(candidate, root_size()) : Verdict::none;
  if (by_globs == Verdict::negated) return Fate::drop;
  const bool included = by_globs == Verdict::matched || !globs || !globs->has_includes();
  if (!included && !is_directory) return Fate::drop;
  if (by_globs != Verdict::matched || options_.glob_use == GlobUse::filter) {
    const Verdict by_rules = ignore ? ignore->decide(candidate) : Verdict::none;
    if (by_rules == Verdict::matched) return Fate::drop;
    if (!shown && by_rules != Verdict::negated) return Fate::drop;
  }
  if (included) return Fate::visit;
  return globs->may_match_below(candidate.path.substr(root_size())) ? Fate::enter : Fate::drop;
}

void Worker::add_to_batch(std::string_view name, sys::FileKind kind) {
  if (batch_ && batch_->entries.size() >= options_.batch) {
    WalkTask task{.path = task_->path, .files = std::move(batch_)};
    if (shared_.open_directories > kMaxOpenDirectories) {
      visit_batch(task);
    } else {
      tasks_.push_back(std::move(task));
      share();
    }
  }
  if (!batch_)
    batch_ = std::make_unique<FileBatch>(FileBatch{.directory = directory_, .names = {}});
  batch_->names += name;
  batch_->entries.push_back({static_cast<std::uint32_t>(name.size()), kind});
}

void Worker::visit_batch(const WalkTask& task) {
  set_path(task.path);
  std::string_view names = task.files->names;
  for (const FileBatch::Name& entry : task.files->entries) {
    if (should_stop()) return;
    const std::string_view name = names.substr(0, entry.size);
    names.remove_prefix(entry.size);
    set_name(name);
    visit(*task.files->directory, name, entry.kind);
  }
}

}  // namespace

bool is_gone(std::errc error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::too_many_symbolic_link_levels;
}

sys::OrErrno<WalkReport> walk(const sys::Fd& directory, const WalkOptions& options,
                              const std::function<Visitor&()>& visitor) {
  Shared shared{.root = directory, .options = options, .make_visitor = visitor, .root_path = ""};
  Ignore::Ptr above;
  if (options.ignore == IgnoreRules::respect) {
    auto path = sys::path_of(directory);
    if (path && *path != "/") shared.root_path = std::move(*path);
    above = Ignore::above(shared.root_path);
    for (const Ignore* rules = above.get(); rules; rules = rules->parent()) {
      std::ranges::copy(rules->files_elsewhere(),
                        std::back_inserter(shared.report.rules_elsewhere));
    }
  }
  shared.may_start = threads_for(options) - 1;
  std::optional<std::errc> failure;
  shared.queue.join();
  guarded(shared, [&] {
    Worker worker(shared);
    if (const auto read = worker.walk_root(std::move(above)); !read) {
      failure = read.error();
      shared.end = End::cancelled;  // the other threads let go of what they have
    }
    worker.run();
    worker.report();
  });
  {
    // After an error the others may still be at it, and would start more.
    const std::lock_guard lock(shared.mutex);
    shared.may_start = 0;
  }
  for (std::jthread& thread : shared.threads) thread.join();
  if (shared.out_of_memory) failure = std::errc::not_enough_memory;
  if (failure) return std::unexpected(*failure);
  shared.report.end = shared.end;
  return std::move(shared.report);
}

}  // namespace helve::search
