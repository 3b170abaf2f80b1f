#include "app/job_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "sys/clock.h"

namespace helve::app {
namespace {

using process::JobInfo;
using process::JobState;
using store::JobRecord;
using store::Store;

// Ends that wait to be written, with their output. Beyond that the oldest is given up: its job is
// taken for lost by the next process.
constexpr size_t kMaxWaiting = 200;

JobRecord record_of(const JobInfo& job) {
  return {.id = job.id,
          .session = job.session,
          .command = job.command,
          .directory = job.cwd,
          .state = std::string(job.state == JobState::running ? store::kRunning
                               : job.state == JobState::ended ? store::kEnded
                                                              : store::kLost),
          .started_ms = job.started_ms,
          .ended_ms = job.ended_ms,
          .end = job.end,
          .exit_code = job.exit_code,
          .signal = job.signal,
          .timed_out = job.timed_out,
          .is_told = job.is_told,
          .output_bytes = job.output_bytes};
}

JobInfo info_of(JobRecord record) {
  return {.id = std::move(record.id),
          .session = std::move(record.session),
          .command = std::move(record.command),
          .cwd = std::move(record.directory),
          .state = record.state == store::kRunning ? JobState::elsewhere
                   : record.state == store::kEnded ? JobState::ended
                                                   : JobState::lost,
          .started_ms = record.started_ms,
          .ended_ms = record.ended_ms,
          .end = std::move(record.end),
          .exit_code = record.exit_code,
          .signal = std::move(record.signal),
          .timed_out = record.timed_out,
          .is_told = record.is_told,
          .output_bytes = record.output_bytes};
}

}  // namespace

StoredJobs::~StoredJobs() {
  std::lock_guard lock(mutex_);
  write_waiting();
}

Result<void> StoredJobs::began(const JobInfo& job) {
  return store_.use([&](Store& store) { return store.begin_job(record_of(job)); });
}

void StoredJobs::ended(const JobInfo& job, std::string_view output) {
  std::lock_guard lock(mutex_);
  if (ended_.size() >= kMaxWaiting) ended_.erase(ended_.begin());
  ended_.push_back(record_of(job));
  ended_.back().output = output;
  write_waiting();
}

Result<std::vector<std::string>> StoredJobs::claim(std::span<const std::string> ids) {
  return store_.use([&](Store& store) { return store.claim_telling(ids); });
}

void StoredJobs::released(std::span<const std::string> ids) {
  (void)store_.use([&](Store& store) { return store.release_telling(ids); });
}

void StoredJobs::told(std::span<const std::string> ids) {
  std::lock_guard lock(mutex_);
  told_.insert(told_.end(), ids.begin(), ids.end());
  write_waiting();
}

// With mutex_ held. Ends first: a job can only be marked when it is there.
void StoredJobs::write_waiting() {
  size_t written = 0;
  Result<void> result;
  while (result && written < ended_.size()) {
    result = store_.use([&](Store& store) { return store.end_job(ended_[written]); });
    if (result) ++written;
  }
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(written));
  if (result && !told_.empty()) {
    result = store_.use([&](Store& store) { return store.mark_told(told_); });
    if (result) told_.clear();
  }
  if (!result && !is_failing_ && on_problem_)
    on_problem_("what became of commands in the background cannot be recorded for now: " +
                describe(result.error()));
  is_failing_ = !result;
}

Result<std::vector<JobInfo>> StoredJobs::jobs(std::string_view session) {
  const std::int64_t unknown_before = clock_.unix_ms() - store::kUnknownAge.count();
  std::vector<JobRecord> records =
      TRY(store_.use([&](Store& store) -> Result<std::vector<JobRecord>> {
        TRY(store.mark_lost_jobs(unknown_before));
        return store.jobs(session);
      }));
  std::vector<JobInfo> jobs;
  jobs.reserve(records.size());
  for (JobRecord& record : records) jobs.push_back(info_of(std::move(record)));
  return jobs;
}

Result<std::string> StoredJobs::output(std::string_view session, std::string_view id) {
  return store_.use([&](Store& store) { return store.job_output(session, id); });
}

}  // namespace helve::app
