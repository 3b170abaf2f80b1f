#include "process/jobs.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "process/job.h"
#include "sys/id.h"

namespace helve::process {
namespace {

constexpr std::chrono::hours kLongestWait{24};
constexpr std::chrono::milliseconds kLastGrace{400};  // for all together, when we end

}  // namespace

std::string_view name_of(JobState state) {
  constexpr std::string_view kNames[] = {"running", "elsewhere", "ended", "lost"};
  return kNames[static_cast<size_t>(state)];
}

Jobs::Jobs(const sys::Clock& clock, JobLedger* ledger, JobLimits limits)
    : clock_(clock), ledger_(ledger), limits_(limits) {}

Jobs::~Jobs() {
  thread_.request_stop();
  if (wakeup_) wakeup_->signal();
  if (thread_.joinable()) thread_.join();
  for (const Found& job : those_that_run()) {
    std::lock_guard lock(job->mutex);
    job->grace = std::min(job->grace, kLastGrace);
    job->ask_to_end();
    job->hurry(std::chrono::steady_clock::now() + kLastGrace);
  }
  for (std::vector<Found> left; !(left = those_that_run()).empty();)
    attend(left, {}, " when helve ended");
}

Result<std::string> Jobs::adopt(New wanted, std::unique_ptr<Running> running) {
  auto job = std::make_shared<Job>();
  const std::int64_t now = clock_.unix_ms();
  job->info = {.id = sys::new_id("j_", now),
               .session = std::move(wanted.session),
               .command = std::move(wanted.command),
               .cwd = std::move(wanted.cwd),
               .started_ms = now,
               .end = {},
               .signal = {}};
  job->info.has_terminal = running->has_terminal();
  job->running = std::move(running);
  job->deadline = wanted.deadline;
  job->grace = wanted.grace;
  job->is_recorded = ledger_ && wanted.is_recorded;
  const std::string id = job->info.id;
  {
    std::lock_guard lock(mutex_);
    const auto running_now = static_cast<size_t>(std::ranges::count_if(
        jobs_, [](const auto& entry) { return entry.second->info.state == JobState::running; }));
    if (running_now >= limits_.running)
      return Error{Code::unavailable, fmt::format("{} commands run in the background", running_now),
                   "end some of them: process {\"action\":\"list\"} shows them", "too_many_jobs"};
    if (!wakeup_) wakeup_ = TRY(sys::Wakeup::make());
  }
  if (job->is_recorded) TRY(ledger_->began(job->info));
  std::lock_guard lock(mutex_);
  // A call of the session that read the ledger meanwhile has taken it for another process's.
  jobs_.insert_or_assign(id, std::move(job));
  if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  wakeup_->signal();
  return id;
}

std::vector<Jobs::Found> Jobs::those_that_run() const {
  std::vector<Found> jobs;
  std::lock_guard lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job->info.state == JobState::running) jobs.push_back(job);
  }
  return jobs;
}

void Jobs::run(std::stop_token stop) {
  while (!stop.stop_requested()) attend(those_that_run(), stop);
}

// One round: waits until something happens to one of them or to the list.
void Jobs::attend(const std::vector<Found>& jobs, std::stop_token stop, std::string_view why) {
  std::vector<pollfd> events(1 + jobs.size() * Running::kEvents);
  events[0] = {wakeup_->descriptor(), POLLIN, 0};
  Time next = std::chrono::steady_clock::now() + kLongestWait;
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::lock_guard lock(jobs[i]->mutex);
    jobs[i]->running->expect(&events[1 + i * Running::kEvents]);
    if (const std::optional<Time> due = jobs[i]->due()) next = std::min(next, *due);
  }
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now());
  const int wait = static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
  if (poll(events.data(), events.size(), wait) > 0 && events[0].revents) wakeup_->reset();
  if (stop.stop_requested()) return;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Job& job = *jobs[i];
    bool has_ended;
    {
      std::lock_guard lock(job.mutex);
      job.running->attend(&events[1 + i * Running::kEvents]);
      job.mind_deadline();
      has_ended = job.running->has_ended();
    }
    if (has_ended) settle(job, why);
  }
}

// Writes down that a job has ended, before anybody is told.
void Jobs::settle(Job& job, std::string_view why) {
  JobInfo info;
  std::string output;
  {
    std::lock_guard lock(job.mutex);
    if (job.is_settled) return;
    job.is_settled = true;
    const Ended& ended = job.running->ended();
    info = job.told();
    info.state = ended.is_lost ? JobState::lost : JobState::ended;
    info.ended_ms = clock_.unix_ms();
    info.end = describe(ended).append(info.timed_out ? " after its time was up" : why);
    info.exit_code = ended.exit_code;
    info.signal = ended.signal;
    if (job.is_recorded) {
      const std::uint64_t kept =
          std::min<std::uint64_t>(info.output_bytes, limits_.recorded_output);
      output = job.running->out().part(info.output_bytes - kept, limits_.recorded_output).bytes;
    }
  }
  if (job.is_recorded) ledger_->ended(info, output);
  std::lock_guard lock(mutex_);
  announce(info.session);
  {
    std::lock_guard its_lock(job.mutex);
    job.info = std::move(info);
  }
  forget_oldest();
  changed_.notify_all();
}

// With mutex_ held. The oldest outputs go first, then the records.
void Jobs::forget_oldest() {
  size_t outputs = 0, records = 0;
  for (auto at = jobs_.rbegin(); at != jobs_.rend(); ++at) {
    Job& job = *at->second;
    std::lock_guard lock(job.mutex);
    if (runs(job.info.state)) continue;
    ++records;
    if (job.running && ++outputs > limits_.kept_outputs) {
      job.info.output_bytes = job.running->out().size();
      job.running.reset();
    }
  }
  for (auto at = jobs_.begin(); records > limits_.kept_records && at != jobs_.end();) {
    if (runs(at->second->info.state)) {
      ++at;
      continue;
    }
    at = jobs_.erase(at);
    --records;
  }
}

}  // namespace helve::process
