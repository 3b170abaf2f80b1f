// StoreRecorder: writes down every call. A call with effects is on disk before it runs; reads are
// noted in memory and written in batches by a thread of its own, which exists only after the first
// note.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "store/shared_store.h"

namespace helve::store {

// Notes that are written together.
constexpr size_t kBatch = 256;
// With so many in memory, whoever notes waits for the writer, but not long: it may be waiting
// itself.
constexpr size_t kManyWaiting = 2 * kBatch;
constexpr std::chrono::milliseconds kLongestWait{100};
// Beyond that the oldest batch is dropped, and that is recorded.
constexpr size_t kMaxWaiting = 8192;

// The tool and outcome of the record that stands for dropped notes.
constexpr std::string_view kRecorderTool = "recorder";
constexpr std::string_view kDropped = "dropped";

struct RecorderOptions {
  // From the first note to its batch, and between retries.
  std::chrono::milliseconds flush_delay{1000};
  Retention retention = {};
  // Per database: whoever comes first prunes.
  std::chrono::milliseconds prune_period = std::chrono::days(1);
  // Told once when writing begins to fail, and of everything that is lost. Called on any thread,
  // without locks held.
  std::function<void(std::string)> on_problem = {};
};

// Thread-safe. Opens nothing before the first record.
class StoreRecorder final : public Recorder {
 public:
  explicit StoreRecorder(const Opener& opener, RecorderOptions options = {});
  // Writes what is waiting. Then looks after the store, unless somebody has done so lately.
  ~StoreRecorder() override;
  StoreRecorder(const StoreRecorder&) = delete;

  Result<void> begin(const CallRecord& record) override;
  // Written at once, so that it survives the death of the process; when that fails it waits with
  // the notes.
  void finish(const CallRecord& record) override;
  // A record without an id gets one when it is written.
  void note(CallRecord record) override;

  // Writes all notes that wait now. After a failure they wait on.
  Result<void> flush();
  // The same for a process that is about to end without destroying this: waits no longer than that,
  // and the writing may then still go on.
  Result<void> flush_within(std::chrono::milliseconds longest);

 private:
  using Batch = std::vector<CallRecord>;
  enum class Extent : bool { one_step, everything };

  void start_thread();  // with mutex_ held
  void run(const std::stop_token& stop);
  Batch take_oldest();
  void put_back(Batch batch);
  void drop_oldest();  // with mutex_ held
  Result<void> write(Batch& batch);
  void tell_failure(const Error& error);
  // Marks lost calls; prunes, when that is due.
  void look_after(SharedStore& store, Extent extent, const std::stop_token& stop = {});
  void prune(SharedStore& store, Extent extent, const std::stop_token& stop);
  void report(std::string problem) const;

  const RecorderOptions options_;
  const sys::Clock& clock_;
  SharedStore direct_;  // for begin and finish, which never wait for a batch
  SharedStore batches_;
  bool looked_after_ = false;  // used by the thread, and after it has ended by the destructor
  std::atomic<std::uint64_t> added_ = 0;  // notes written since the store was pruned

  std::mutex flush_mutex_;  // one flush at a time; taken before mutex_

  std::mutex mutex_;                     // guards all below
  std::condition_variable_any changed_;  // there is something to write
  std::condition_variable_any written_;  // or it has failed
  Batch current_;                        // being filled
  std::deque<Batch> full_;               // oldest first
  Batch spare_;                          // memory of a written batch, for the next
  size_t waiting_ = 0;                   // records in current_ and full_
  std::uint64_t dropped_ = 0;            // not yet recorded
  bool failing_ = false;
  std::jthread thread_;
};

}  // namespace helve::store
