// What may be asked of a job: where it stands, its output, input, signals, its end.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "process/job.h"

namespace helve::process {
namespace {

constexpr std::chrono::hours kLongestWait{24};
constexpr size_t kNamedIds = 5;
constexpr int kInputInterval = 5;  // milliseconds between attempts to write to a full pipe

Error has_ended(std::string_view id, const JobInfo& job, std::string_view hint) {
  return {Code::conflict, fmt::format("'{}' has ended: {}", id, job.end), std::string(hint),
          "has_ended"};
}

}  // namespace

void Jobs::wake() {
  std::lock_guard lock(mutex_);
  if (wakeup_) wakeup_->signal();
}

Jobs::Found Jobs::known(std::string_view session, std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  const bool is_ours = found != jobs_.end() && found->second->info.session == session;
  return is_ours ? found->second : nullptr;
}

Result<Jobs::Found> Jobs::find(std::string_view session, std::string_view id) {
  if (Found job = known(session, id); job && job->is_here()) return job;
  TRY(consult_ledger(session));
  if (Found job = known(session, id)) return job;
  std::deque<std::string> ids;
  std::lock_guard lock(mutex_);
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

Result<Jobs::Found> Jobs::find_here(std::string_view session, std::string_view id) {
  Found job = TRY(find(session, id));
  if (job->is_here()) return job;
  return Error{Code::conflict, fmt::format("'{}' runs in another process of helve", id),
               "only that process can reach it; status tells when it has ended", "runs_elsewhere"};
}

Result<JobInfo> Jobs::info(std::string_view session, std::string_view id) {
  const Found job = TRY(find(session, id));
  std::lock_guard lock(job->mutex);
  return job->told();
}

Jobs::Listed Jobs::list(std::string_view session) {
  Listed listed;
  if (Result<void> read = consult_ledger(session); !read) listed.problem = std::move(read).error();
  std::lock_guard lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job->info.session != session) continue;
    std::lock_guard its_lock(job->mutex);
    listed.jobs.push_back(job->told());
  }
  return listed;
}

Result<Jobs::Seen> Jobs::output(std::string_view session, std::string_view id,
                                std::optional<std::uint64_t> offset, size_t most) {
  const Found job = TRY(find(session, id));
  std::unique_lock lock(job->mutex);
  Seen seen{.job = job->told(), .bytes = {}};
  const std::uint64_t size = seen.job.output_bytes;
  const std::uint64_t from = offset.value_or(size - std::min<std::uint64_t>(size, most));
  if (job->running) {
    Output::Part part = job->running->out().part(from, most);
    seen.offset = part.offset;
    seen.bytes = std::move(part.bytes);
  } else {
    lock.unlock();
    std::string recorded;
    if (ledger_ && !runs(seen.job.state)) recorded = TRY(ledger_->output(session, id));
    seen.is_kept = seen.job.state == JobState::ended && (size == 0 || !recorded.empty());
    seen.first = size - std::min<std::uint64_t>(size, recorded.size());
    seen.offset = std::clamp(from, seen.first, size);
    seen.bytes = recorded.substr(static_cast<size_t>(seen.offset - seen.first), most);
  }
  seen.next = seen.offset + seen.bytes.size();
  return seen;
}

// Between two attempts the job's thread takes its output: a program may wait for that before it
// reads on.
Result<size_t> Jobs::input(std::string_view session, std::string_view id, std::string_view bytes,
                           bool then_close, std::chrono::milliseconds longest) {
  const Found job = TRY(find_here(session, id));
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
    if (taken == bytes.size() && then_close) wake();  // a terminal may have no room for it yet
    if (taken == bytes.size() || std::chrono::steady_clock::now() >= end) return taken;
    poll(nullptr, 0, kInputInterval);
  }
}

Result<void> Jobs::signal(std::string_view session, std::string_view id, int number) {
  const Found job = TRY(find_here(session, id));
  std::lock_guard lock(job->mutex);
  if (!job->running || job->running->has_exited())
    return has_ended(id, job->info, "only a command that runs takes signals");
  job->running->signal_all(number);
  return {};
}

Result<void> Jobs::resize(std::string_view session, std::string_view id, TerminalSize size) {
  const Found job = TRY(find_here(session, id));
  std::lock_guard lock(job->mutex);
  if (!job->running || job->running->has_exited())
    return has_ended(id, job->info, "only a command that runs has a terminal");
  if (!job->running->has_terminal())
    return Error{Code::conflict, fmt::format("'{}' has no terminal", id),
                 "start it with terminal=true", "no_terminal"};
  job->running->resize(size);
  return {};
}

Result<JobInfo> Jobs::kill(std::string_view session, std::string_view id, std::stop_token stop) {
  const Found job = TRY(find_here(session, id));
  {
    std::lock_guard lock(job->mutex);
    job->ask_to_end();
  }
  wake();  // the deadline is another one now
  return wait(session, id, std::chrono::steady_clock::now() + kLongestWait, stop);
}

Result<JobInfo> Jobs::wait(std::string_view session, std::string_view id, Time end,
                           std::stop_token stop) {
  const Found job = TRY(find_here(session, id));
  {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, end, [&] { return job->info.state != JobState::running; });
    const bool has_ended = job->info.state != JobState::running;
    if (!has_ended && stop.stop_requested()) return Error{Code::cancelled, "waiting was cancelled"};
    job->is_said = has_ended;  // by the answer to this call
  }
  std::lock_guard lock(job->mutex);
  return job->told();
}

}  // namespace helve::process
