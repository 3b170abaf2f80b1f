#include "search/candidates.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "search/on_threads.h"

namespace helve::search {
namespace {

constexpr size_t kFilesForAThread = 64;  // with fewer, another thread costs more than it saves

class Round {
 public:
  Round(const sys::Fd& root, std::string_view directory, const AllToSearch& candidates,
        const WalkOptions& options)
      : root_(root), directory_(directory), candidates_(candidates), options_(options) {}

  sys::OrErrno<WalkReport> run(const std::function<Visitor&()>& visitor) {
    try {
      spread(visitor);
    } catch (const std::exception&) {
      out_of_memory_ = true;
    }
    if (out_of_memory_) return std::unexpected(std::errc::not_enough_memory);
    WalkReport report = candidates_.report;
    report.end = end_.load();
    return report;
  }

 private:
  void spread(const std::function<Visitor&()>& visitor) {
    const size_t cores =
        options_.threads ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    const size_t threads = std::min<size_t>(cores, 1 + candidates_.files.size() / kFilesForAThread);
    std::vector<Visitor*> visitors;
    for (size_t i = 0; i < threads; ++i) visitors.push_back(&visitor());
    on_threads(threads, [&](size_t i) { guarded_work(*visitors[i]); });
  }

  // Exceptions say that memory is used up.
  void guarded_work(Visitor& visitor) noexcept {
    try {
      work(visitor);
    } catch (const std::exception&) {
      out_of_memory_ = true;
      end(WalkReport::End::cancelled);
    }
  }

  void work(Visitor& visitor) {
    while (end_.load(std::memory_order_relaxed) == WalkReport::End::complete) {
      const size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= candidates_.files.size()) return;
      if (options_.stop.stop_requested()) return end(WalkReport::End::cancelled);
      if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline)
        return end(WalkReport::End::deadline);
      std::string_view path = candidates_.files[i].path;
      const std::string_view whole = path;
      if (!directory_.empty()) {
        if (!path.starts_with(directory_) || path.size() <= directory_.size() ||
            path[directory_.size()] != '/')
          continue;
        path.remove_prefix(directory_.size() + 1);
      }
      if (options_.globs && !options_.globs->shows(path)) continue;
      // The kernel resolves the path below the root, without links.
      const ToSearch& file = candidates_.files[i];
      const bool is_known = file.stamp != FileStamp();  // others may just be changing
      const Item item{.directory = root_,
                      .name = whole,
                      .path = path,
                      .kind = sys::FileKind::file,
                      .parts = file.parts,
                      .parts_of = &file.stamp,
                      .contents = is_known ? candidates_.contents.get() : nullptr,
                      .contents_moment = candidates_.contents_moment};
      if (visitor.visit(item) == Next::stop) return end(WalkReport::End::stopped_by_visitor);
    }
  }
  void end(WalkReport::End how) { end_.store(how, std::memory_order_relaxed); }

  const sys::Fd& root_;
  std::string_view directory_;
  const AllToSearch& candidates_;
  const WalkOptions& options_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> out_of_memory_ = false;
  std::atomic<WalkReport::End> end_ = WalkReport::End::complete;
};

}  // namespace

FileSource files_of(const sys::Fd& root, std::string_view directory,
                    const AllToSearch& candidates) {
  return [&root, directory, &candidates](
             const WalkOptions& options,
             const std::function<Visitor&()>& visitor) -> sys::OrErrno<WalkReport> {
    return Round(root, directory, candidates, options).run(visitor);
  };
}

}  // namespace helve::search
