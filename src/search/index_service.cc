#include "search/index_service.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <system_error>

#include "sys/thread_priority.h"

namespace helve::search {
namespace {

// So many files that the index does not know are searched whole without making a search much
// slower.
constexpr size_t kLooseThatPay = 100;
// More segments make every question slower.
constexpr size_t kMaxSegments = 8;
constexpr std::chrono::milliseconds kLongestPause = std::chrono::hours(1);

}  // namespace

// One tree with its index. The tree keeps a descriptor of its own: a workspace may be gone by then.
struct IndexService::Tree {
  Tree(sys::Fd opened, std::string path, std::string directory, std::chrono::milliseconds between)
      : between_updates(between),
        root(std::move(opened)),
        index(std::move(directory), path),
        live(root, std::move(path), index),
        pause(between) {}

  // Brings the index up to what the tree is now.
  void update(const std::stop_token& stop);
  bool may_update() const {
    return std::chrono::steady_clock::now() - updated.load() >= pause.load();
  }

  const std::chrono::milliseconds between_updates;
  sys::Fd root;
  Index index;
  LiveIndex live;
  std::atomic<bool> is_ready = false;    // questions are answered
  std::atomic<bool> is_waiting = false;  // for an update
  // Until the next update. Longer after one that made few files known: they cannot be read, or lie
  // where times tell little.
  std::atomic<std::chrono::milliseconds> pause;
  std::atomic<std::chrono::steady_clock::time_point> updated = {};
};

void IndexService::Tree::update(const std::stop_token& stop) {
  const WalkOptions limits{.stop = stop};
  if (!is_ready) index.open();
  const bool is_watched = live.start(limits);
  updated = std::chrono::steady_clock::now();
  if (!is_watched) return;
  const LiveIndex::Counts counts = live.counts();
  const bool anew = index.segments()->empty() || index.segments()->size() >= kMaxSegments ||
                    counts.to_update > counts.known / 4;
  if (counts.to_update > 0 || anew) {
    const std::vector<std::string> paths = anew ? live.all_files() : live.files_to_update();
    const BuildOptions options{.threads = 1, .stop = stop};
    // Without a new segment the files that are not known are searched whole, and nothing is wrong.
    (void)(anew ? index.build(root, paths, options) : index.update(root, paths, options));
    live.use_new_segments();
    const bool helped = live.counts().to_update <= counts.to_update / 2;
    pause = helped ? between_updates : std::min(pause.load() * 2, kLongestPause);
  }
  updated = std::chrono::steady_clock::now();
  is_ready = true;
}

IndexService::IndexService(std::string directory, Life life,
                           std::chrono::milliseconds between_updates)
    : directory_(std::move(directory)), life_(life), between_updates_(between_updates) {}

IndexService::~IndexService() {
  {
    std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  worker_.request_stop();
  changed_.notify_all();
}

Index IndexService::index_of(const std::string& root_path) const {
  return Index(directory_ + "/" + Index::name_for(root_path), root_path);
}

// The tree at this path, when it is ready and still the one that is meant.
std::shared_ptr<IndexService::Tree> IndexService::find(const sys::Fd& root,
                                                       const std::string& root_path) {
  std::shared_ptr<Tree> tree;
  {
    std::lock_guard lock(mutex_);
    const auto found = trees_.find(root_path);
    if (found == trees_.end()) return nullptr;
    tree = found->second;
  }
  const auto ours = sys::status(tree->root), theirs = sys::status(root);
  if (ours && theirs && ours->same_file(*theirs)) return tree->is_ready ? tree : nullptr;
  std::lock_guard lock(mutex_);
  trees_.erase(root_path);
  return nullptr;
}

std::optional<AllToSearch> IndexService::ask(const sys::Fd& root, const std::string& root_path,
                                             const Question& question) {
  const std::shared_ptr<Tree> tree = find(root, root_path);
  if (!tree) return {};
  auto answer = tree->live.files(question.directory, question.required, question.together,
                                 question.around, question.limits);
  if (!answer || !*answer) {
    if (!answer) {  // damaged: built anew
      tree->is_ready = false;
      (void)tree->index.drop();
      tree->live.use_new_segments();
      enqueue(tree);
    }
    return {};
  }
  if ((*answer)->to_update > kLooseThatPay && tree->may_update()) enqueue(tree);
  return std::move(*answer);
}

std::optional<WalkReport> IndexService::visit_files(const sys::Fd& root,
                                                    const std::string& root_path,
                                                    std::string_view directory,
                                                    const WalkOptions& options,
                                                    const FileVisit& visit) {
  const std::shared_ptr<Tree> tree = find(root, root_path);
  return tree ? tree->live.visit_files(directory, options, visit) : std::nullopt;
}

std::optional<Narrowed> IndexService::narrowed(const std::string& root_path,
                                               const Required& required, Together together) {
  if (life_ == Life::stays) return {};  // ask() will know better in a moment
  auto segments = index_of(root_path).open();
  size_t files = 0;
  for (size_t i = 0; i < segments->size(); ++i) files += (*segments)[i].file_count();
  if (files < kFilesThatPayForOne) return {};
  auto narrowed = Narrowed::make(std::move(segments), required, together);
  if (!narrowed) return {};
  return std::move(*narrowed);
}

void IndexService::consider(const sys::Fd& root, const std::string& root_path,
                            std::uint64_t files) {
  if (life_ == Life::single_call || files < kFilesThatPay) return;
  {
    std::unique_lock lock(mutex_);
    if (const auto found = trees_.find(root_path); found != trees_.end()) {
      const std::shared_ptr<Tree> known = found->second;
      lock.unlock();
      if (!known->is_ready && known->may_update()) enqueue(known);  // it could not be watched
      return;
    }
  }
  auto own = sys::open_beneath(root, ".", sys::Open::directory);
  if (!own) return;
  auto tree = std::make_shared<Tree>(
      std::move(*own), root_path, directory_ + "/" + Index::name_for(root_path), between_updates_);
  {
    std::lock_guard lock(mutex_);
    if (!trees_.emplace(root_path, tree).second) return;
  }
  enqueue(std::move(tree));
}

void IndexService::enqueue(std::shared_ptr<Tree> tree) {
  if (tree->is_waiting.exchange(true)) return;
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(tree));
  try {
    if (!worker_.joinable())
      worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {  // no thread to be had: searches do without
    waiting_.back()->is_waiting = false;
    waiting_.pop_back();
  }
  changed_.notify_all();
}

void IndexService::work(const std::stop_token& stop) {
  sys::lower_thread_priority();
  while (true) {
    std::shared_ptr<Tree> tree;
    {
      std::unique_lock lock(mutex_);
      is_working_ = false;
      changed_.notify_all();
      if (!changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
      tree = std::move(waiting_.front());
      waiting_.pop_front();
      is_working_ = true;
    }
    try {
      tree->update(stop);
    } catch (const std::bad_alloc&) {
      tree->is_ready = false;  // searches do without
    }
    tree->is_waiting = false;
  }
}

void IndexService::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !is_working_; });
}

}  // namespace helve::search
