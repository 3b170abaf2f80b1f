#include "process/jobs.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "sys/id.h"

namespace helve::process {
namespace {

constexpr std::chrono::hours kLongestWait{24};
constexpr size_t kNamedIds = 5;
constexpr int kInputInterval = 5;  // milliseconds between attempts to write to a full pipe

}  // namespace

// What is asked of it and what its thread does take turns by its own mutex.
struct Jobs::Job {
  std::mutex mutex;
  JobInfo info;
  std::unique_ptr<Running> running;  // null: only the record is left
  std::optional<Time> deadline;
  std::chrono::milliseconds grace{0};
  bool asked_to_end = false;
  bool is_settled = false;  // its end is written down

  JobInfo told() {
    JobInfo now = info;
    now.has_output = running != nullptr;
    if (running) now.output_bytes = running->out().size();
    return now;
  }

  void ask_to_end() {
    if (!running || running->has_ended() || asked_to_end) return;
    asked_to_end = true;
    running->signal_all(SIGTERM);
    running->signal_all(SIGCONT);  // a stopped process would not hear it
    deadline = std::chrono::steady_clock::now() + grace;
  }

  // When its time is up: first asks, then insists.
  void mind_deadline() {
    if (!deadline || !running || running->has_ended() ||
        std::chrono::steady_clock::now() < *deadline)
      return;
    if (asked_to_end) {
      running->end_now();
      return;
    }
    info.timed_out = true;
    ask_to_end();
  }
};

std::string_view name_of(JobState state) {
  constexpr std::string_view kNames[] = {"running", "ended", "lost"};
  return kNames[static_cast<size_t>(state)];
}

Jobs::Jobs(const sys::Clock& clock, JobLedger* ledger, JobLimits limits)
    : clock_(clock), ledger_(ledger), limits_(limits) {}

Jobs::~Jobs() {
  thread_.request_stop();
  if (wakeup_) wakeup_->signal();
  if (thread_.joinable()) thread_.join();
  for (const auto& [id, job] : jobs_) {
    if (!job->running || job->running->has_ended()) continue;
    job->running->end_now();
    settle(*job);
  }
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
  job->running = std::move(running);
  job->deadline = wanted.deadline;
  job->grace = wanted.grace;
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
  if (ledger_) TRY(ledger_->began(job->info));
  std::lock_guard lock(mutex_);
  jobs_.emplace(id, std::move(job));
  if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  wakeup_->signal();
  return id;
}

void Jobs::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    std::vector<Found> jobs;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [id, job] : jobs_) {
        if (job->info.state == JobState::running) jobs.push_back(job);
      }
    }
    attend(jobs, stop);
  }
}

// One round: waits until something happens to one of them or to the list.
void Jobs::attend(const std::vector<Found>& jobs, std::stop_token stop) {
  std::vector<pollfd> events(1 + jobs.size() * Running::kEvents);
  events[0] = {wakeup_->descriptor(), POLLIN, 0};
  Time next = std::chrono::steady_clock::now() + kLongestWait;
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::lock_guard lock(jobs[i]->mutex);
    jobs[i]->running->expect(&events[1 + i * Running::kEvents]);
    if (jobs[i]->deadline) next = std::min(next, *jobs[i]->deadline);
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
    if (has_ended) settle(job);
  }
}

// Writes down that a job has ended, before anybody is told.
void Jobs::settle(Job& job) {
  JobInfo info;
  {
    std::lock_guard lock(job.mutex);
    if (job.is_settled) return;
    job.is_settled = true;
    const Ended& ended = job.running->ended();
    info = job.told();
    info.state = ended.is_lost ? JobState::lost : JobState::ended;
    info.ended_ms = clock_.unix_ms();
    info.end = describe(ended) + (info.timed_out ? " after its time was up" : "");
    info.exit_code = ended.exit_code;
    info.signal = ended.signal;
  }
  if (ledger_) (void)ledger_->ended(info);
  std::lock_guard lock(mutex_);
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
    if (job.info.state == JobState::running) continue;
    ++records;
    if (job.running && ++outputs > limits_.kept_outputs) {
      job.info.output_bytes = job.running->out().size();
      job.running.reset();
    }
  }
  for (auto at = jobs_.begin(); records > limits_.kept_records && at != jobs_.end();) {
    if (at->second->info.state == JobState::running) {
      ++at;
      continue;
    }
    at = jobs_.erase(at);
    --records;
  }
}

Result<Jobs::Found> Jobs::find(std::string_view session, std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found != jobs_.end() && found->second->info.session == session) return found->second;
  std::deque<std::string> ids;
  for (auto at = jobs_.rbegin(); at != jobs_.rend() && ids.size() < kNamedIds; ++at) {
    if (at->second->info.session == session) ids.push_front(at->first);
  }
  return Error{Code::not_found,
               fmt::format("no background command '{}' in this session",
                           escape_for_display(preview(id, 80))),
               ids.empty() ? "this session has started none"
                           : fmt::format("the last ones are {}", fmt::join(ids, ", ")),
               "unknown_id"};
}

Result<JobInfo> Jobs::info(std::string_view session, std::string_view id) const {
  const Found job = TRY(find(session, id));
  std::lock_guard lock(job->mutex);
  return job->told();
}

std::vector<JobInfo> Jobs::list(std::string_view session) const {
  std::vector<JobInfo> infos;
  std::lock_guard lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job->info.session != session) continue;
    std::lock_guard its_lock(job->mutex);
    infos.push_back(job->told());
  }
  return infos;
}

Result<Jobs::Seen> Jobs::output(std::string_view session, std::string_view id,
                                std::optional<std::uint64_t> offset, size_t most) const {
  const Found job = TRY(find(session, id));
  std::lock_guard lock(job->mutex);
  Seen seen{.job = job->told(), .bytes = {}};
  if (!job->running) {
    seen.offset = seen.next = seen.job.output_bytes;
    return seen;
  }
  const Output& output = job->running->out();
  const std::uint64_t from =
      offset.value_or(output.size() - std::min<std::uint64_t>(output.size(), most));
  Output::Part part = output.part(from, most);
  seen.next = part.offset + part.bytes.size();
  seen.offset = part.offset;
  seen.bytes = std::move(part.bytes);
  return seen;
}

// Between two attempts the job's thread takes its output: a program may wait for that before it
// reads on.
Result<size_t> Jobs::input(std::string_view session, std::string_view id, std::string_view bytes,
                           bool then_close, std::chrono::milliseconds longest) {
  const Found job = TRY(find(session, id));
  const Time end = std::chrono::steady_clock::now() + longest;
  size_t taken = 0;
  while (true) {
    {
      std::lock_guard lock(job->mutex);
      if (!job->running)
        return Error{Code::conflict, "the command has ended", "start it again", "no_input"};
      taken += TRY(job->running->write_input(bytes.substr(taken)));
      if (taken == bytes.size() && then_close) job->running->close_input();
    }
    if (taken == bytes.size() || std::chrono::steady_clock::now() >= end) return taken;
    poll(nullptr, 0, kInputInterval);
  }
}

Result<void> Jobs::signal(std::string_view session, std::string_view id, int number) {
  const Found job = TRY(find(session, id));
  std::lock_guard lock(job->mutex);
  if (!job->running || job->running->has_ended())
    return Error{Code::conflict, fmt::format("'{}' has ended: {}", id, job->info.end),
                 "only a command that runs takes signals", "has_ended"};
  job->running->signal_all(number);
  return {};
}

Result<void> Jobs::resize(std::string_view session, std::string_view id, TerminalSize size) {
  const Found job = TRY(find(session, id));
  std::lock_guard lock(job->mutex);
  if (job->running) job->running->resize(size);
  return {};
}

Result<JobInfo> Jobs::kill(std::string_view session, std::string_view id, std::stop_token stop) {
  const Found job = TRY(find(session, id));
  {
    std::lock_guard lock(job->mutex);
    job->ask_to_end();
  }
  {
    std::lock_guard lock(mutex_);
    if (wakeup_) wakeup_->signal();  // the deadline is another one now
  }
  return wait(session, id, std::chrono::steady_clock::now() + kLongestWait, stop);
}

Result<JobInfo> Jobs::wait(std::string_view session, std::string_view id, Time end,
                           std::stop_token stop) const {
  const Found job = TRY(find(session, id));
  {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, end, [&] { return job->info.state != JobState::running; });
  }
  if (stop.stop_requested()) return Error{Code::cancelled, "waiting was cancelled"};
  std::lock_guard lock(job->mutex);
  return job->told();
}

}  // namespace helve::process
