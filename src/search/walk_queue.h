// WalkQueue: the directories that are still to be walked, shared by the threads of a walk. A thread
// keeps what it finds to itself and gives half of it away only when another has nothing to do, so
// that threads hardly ever meet.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "search/ignore.h"
#include "sys/file_at.h"

namespace helve::search {

// Files of a directory that is open, for a thread that has time.
struct FileBatch {
  struct Name {
    std::uint32_t size;
    sys::FileKind kind;
  };
  // Shared by the batches of a directory; the last one closes it.
  std::shared_ptr<const sys::Fd> directory;
  std::string names;  // one after the other
  std::vector<Name> entries = {};
};

struct WalkTask {
  std::string
      path;  // below the walked directory, with a slash at the end; empty: that directory itself
  int depth = 1;
  Ignore::Ptr ignore = {};                // of the directory above; unused for files
  std::unique_ptr<FileBatch> files = {};  // null: the directory is to be read
};

// Thread-safe.
class WalkQueue {
 public:
  using Tasks = std::deque<WalkTask>;

  // Whether somebody waits for a task.
  bool is_wanted() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  // Moves the older half of the tasks, which are likely to lead to more, to those who wait.
  void give(Tasks& tasks);
  // Waits for a task; nothing when all threads wait, so that none can come.
  std::optional<WalkTask> take();
  // One more thread, or one less, gives and takes.
  void join();
  void leave();

 private:
  // Whoever leaves after it was over is still counted as waiting.
  bool is_over() const { return tasks_.empty() && waiting_ >= threads_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  Tasks tasks_;
  unsigned threads_ = 0;
  std::atomic<unsigned> waiting_ = 0;  // changed under the mutex, looked at without
};

}  // namespace helve::search
