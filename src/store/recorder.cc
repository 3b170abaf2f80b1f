#include "store/recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <future>
#include <system_error>

#include "sys/clock.h"
#include "sys/id.h"

namespace helve::store {
namespace {

// A batch that could not be written is tried again, so it need not wait long, and neither does the
// end of the program.
constexpr std::chrono::milliseconds kBatchBusyTimeout{2000};

Opener for_batches(const Opener& opener) {
  Options options = opener.options();
  options.busy_timeout = std::min(options.busy_timeout, kBatchBusyTimeout);
  return opener.with(options);
}

// Stands in the list of calls where others are missing.
CallRecord dropped_record(const CallRecord& neighbour, std::uint64_t count) {
  CallRecord record;
  record.who = neighbour.who;
  record.caller = neighbour.caller;
  record.started_ms = neighbour.started_ms;
  record.tool = kRecorderTool;
  record.outcome = kDropped;
  record.message = fmt::format(
      "{} records of earlier calls were dropped: they could not be written in time", count);
  return record;
}

}  // namespace

StoreRecorder::StoreRecorder(const Opener& opener, RecorderOptions options)
    : options_(std::move(options)),
      clock_(opener.clock()),
      direct_(opener),
      batches_(for_batches(opener)) {}

StoreRecorder::~StoreRecorder() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  if (Result<void> written = flush(); !written) {
    report(fmt::format("the records of {} calls are lost: {}", waiting_ + dropped_,
                       describe(written.error())));
  } else {
    // One step only, so that a short command ends at once.
    for (SharedStore* store : {&batches_, &direct_}) {
      if (!looked_after_ && store->is_open()) look_after(*store, Extent::one_step);
    }
  }
}

Result<void> StoreRecorder::begin(const CallRecord& record) {
  return direct_.use([&](Store& store) { return store.begin_call(record); });
}

void StoreRecorder::finish(const CallRecord& record) {
  Result<void> written = direct_.use([&](Store& store) { return store.finish_call(record); });
  if (written) return;
  tell_failure(written.error());
  note(record);
}

void StoreRecorder::note(CallRecord record) {
  bool wake = false;
  {
    std::unique_lock lock(mutex_);
    if (waiting_ >= kManyWaiting && thread_.joinable()) {
      written_.wait_for(lock, kLongestWait, [&] { return failing_ || waiting_ < kManyWaiting; });
    }
    if (waiting_ >= kMaxWaiting) drop_oldest();
    current_.push_back(std::move(record));
    wake = ++waiting_ == 1;
    if (current_.size() == kBatch) {
      full_.push_back(std::exchange(current_, std::exchange(spare_, {})));
      wake = true;
    }
    if (wake && !thread_.joinable()) start_thread();
  }
  if (wake) changed_.notify_one();
}

// Without a thread the notes wait for flush() or the end.
void StoreRecorder::start_thread() {
  try {
    thread_ = std::jthread([this](std::stop_token stop) {
      try {
        run(stop);
      } catch (const std::exception& exception) {
        {
          std::lock_guard lock(mutex_);
          failing_ = true;  // nobody waits for this thread any more
        }
        written_.notify_all();
        report(fmt::format("calls are recorded only at the end: {}", exception.what()));
      }
    });
  } catch (const std::system_error&) {
    thread_ = std::jthread();
  }
}

void StoreRecorder::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [&] { return waiting_ > 0; });
    // While writing fails, a full batch is no reason to hurry.
    changed_.wait_for(lock, stop, options_.flush_delay,
                      [&] { return !failing_ && !full_.empty(); });
    if (stop.stop_requested()) return;  // the destructor writes the rest
    lock.unlock();
    const bool written = flush().has_value();
    if (written && !looked_after_) {
      look_after(batches_, Extent::everything, stop);
    } else if (added_ > options_.retention.calls) {
      prune(batches_, Extent::everything, stop);  // this process alone wrote more than is kept
    }
    lock.lock();
  }
}

Result<void> StoreRecorder::flush() {
  std::lock_guard turn(flush_mutex_);
  size_t batches = 0;
  {
    std::lock_guard lock(mutex_);
    batches = full_.size() + 1;
  }
  // Those that come meanwhile are not waited for: there may be no end to them.
  for (; batches > 0; --batches) {
    Batch batch = take_oldest();
    if (batch.empty()) break;
    Result<void> written;
    try {
      written = write(batch);
    } catch (const std::bad_alloc&) {  // the batch is as it was, or has the mark of a dropped one
      written = Error{Code::unavailable, "out of memory"};
    }
    if (!written) {
      put_back(std::move(batch));
      tell_failure(written.error());
      return written;
    }
    batch.clear();
    {
      std::lock_guard lock(mutex_);
      spare_ = std::move(batch);
      failing_ = false;
    }
    written_.notify_all();
  }
  return {};
}

Result<void> StoreRecorder::flush_within(std::chrono::milliseconds longest) {
  // Shared: the thread may outlive this call.
  auto outcome = std::make_shared<std::promise<Result<void>>>();
  std::future<Result<void>> written = outcome->get_future();
  try {
    std::thread([this, outcome] {
      try {
        outcome->set_value(flush());
      } catch (const std::exception& exception) {
        outcome->set_value(Error{Code::unavailable, exception.what()});
      }
    }).detach();
  } catch (const std::system_error&) {
    return Error{Code::unavailable, "cannot start a thread to write them"};
  }
  if (written.wait_for(longest) == std::future_status::ready) return written.get();
  return Error{Code::timeout,
               fmt::format("they could not be written within {} ms", longest.count())};
}

Result<void> StoreRecorder::write(Batch& batch) {
  std::uint64_t dropped = 0;
  {
    std::lock_guard lock(mutex_);
    dropped = dropped_;
  }
  if (dropped > 0) batch.push_back(dropped_record(batch.front(), dropped));
  for (CallRecord& record : batch) {
    if (record.id.empty()) record.id = sys::new_id("c_", record.started_ms);
  }
  Result<void> written = batches_.use([&](Store& store) { return store.add_calls(batch); });
  if (written) added_ += batch.size();
  if (dropped == 0) return written;
  if (!written) {
    batch.pop_back();
    return written;
  }
  {
    std::lock_guard lock(mutex_);
    dropped_ -= dropped;
  }
  report(fmt::format("the records of {} calls were dropped: they could not be written in time",
                     dropped));
  return written;
}

StoreRecorder::Batch StoreRecorder::take_oldest() {
  std::lock_guard lock(mutex_);
  Batch batch;
  if (full_.empty()) {
    batch = std::exchange(current_, std::exchange(spare_, {}));
  } else {
    batch = std::move(full_.front());
    full_.pop_front();
  }
  waiting_ -= batch.size();
  return batch;
}

void StoreRecorder::put_back(Batch batch) {
  std::lock_guard lock(mutex_);
  waiting_ += batch.size();
  full_.push_front(std::move(batch));
  if (waiting_ > kMaxWaiting) drop_oldest();
}

void StoreRecorder::drop_oldest() {
  dropped_ += full_.front().size();
  waiting_ -= full_.front().size();
  full_.pop_front();
}

void StoreRecorder::tell_failure(const Error& error) {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(failing_, true)) return;
  }
  written_.notify_all();
  report(fmt::format("calls cannot be recorded for now: {}", describe(error)));
}

void StoreRecorder::look_after(SharedStore& store, Extent extent, const std::stop_token& stop) {
  looked_after_ = true;
  Result<std::uint64_t> lost = store.use(
      [&](Store& open) { return open.mark_lost(clock_.unix_ms() - kUnknownAge.count()); });
  if (lost)
    lost = store.use(
        [&](Store& open) { return open.mark_lost_jobs(clock_.unix_ms() - kUnknownAge.count()); });
  if (!lost) return report(fmt::format("cannot look for lost calls: {}", describe(lost.error())));
  Result<bool> due =
      store.use([&](Store& open) { return open.claim_chore("prune", options_.prune_period); });
  if (!due) return report(fmt::format("cannot remove old records: {}", describe(due.error())));
  if (*due) prune(store, extent, stop);
}

void StoreRecorder::prune(SharedStore& store, Extent extent, const std::stop_token& stop) {
  added_ = 0;
  for (bool more = true; more;) {
    Result<Pruned> pruned = store.use([&](Store& open) { return open.prune(options_.retention); });
    if (!pruned)
      return report(fmt::format("cannot remove old records: {}", describe(pruned.error())));
    more = pruned->more && extent == Extent::everything && !stop.stop_requested();
  }
}

void StoreRecorder::report(std::string problem) const {
  if (options_.on_problem) options_.on_problem(std::move(problem));
}

}  // namespace helve::store
