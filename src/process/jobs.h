// Jobs: the commands that run in the background, by id and session. One thread takes their output
// and notices their end; whoever asks finds both here.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "process/running.h"
#include "sys/clock.h"
#include "sys/stream.h"

namespace helve::process {

enum class JobState : unsigned char { running, ended, lost };
std::string_view name_of(JobState state);

struct JobInfo {
  std::string id;
  std::string session;
  std::string command;  // as it was asked for
  std::string cwd;
  JobState state = JobState::running;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;  // 0: it runs
  std::string end;            // "exit code 0", "killed by SIGTERM", …; empty while it runs
  int exit_code = -1;
  std::string signal;
  bool timed_out = false;
  bool has_output = true;  // false: so long ago that only the record is left
  std::uint64_t output_bytes = 0;
};

// Remembers jobs beyond the life of this process. Thread-safe.
class JobLedger {
 public:
  virtual ~JobLedger() = default;
  // Before the job counts as started; on disk when it returns.
  virtual Result<void> began(const JobInfo& job) = 0;
  // Its end, which its session is then told once.
  virtual Result<void> ended(const JobInfo& job) = 0;
  // Jobs of earlier processes of this session.
  virtual Result<std::vector<JobInfo>> earlier(std::string_view session) = 0;
};

struct JobLimits {
  size_t running = 1000;
  size_t kept_outputs = 64;  // of jobs that have ended
  size_t kept_records = 1000;
};

// Thread-safe.
class Jobs {
 public:
  // `ledger` may be null: then jobs are forgotten with this process.
  Jobs(const sys::Clock& clock, JobLedger* ledger, JobLimits limits = {});
  ~Jobs();  // ends them all
  Jobs(const Jobs&) = delete;

  struct New {
    std::string session, command, cwd;
    std::optional<Time> deadline = {};
    std::chrono::milliseconds grace{0};  // between asking it to end and ending it
  };
  // Looks after a command from now on. Its id.
  Result<std::string> adopt(New job, std::unique_ptr<Running> running);

  // Errors of all below: not_found (unknown_id), which names the ids that there are.
  Result<JobInfo> info(std::string_view session, std::string_view id) const;
  std::vector<JobInfo> list(std::string_view session) const;
  struct Seen {
    JobInfo job;
    std::string bytes;         // raw
    std::uint64_t offset = 0;  // of the first of them
    std::uint64_t next = 0;    // where to go on
  };
  // Output from `offset` on; without one, the end of it. Takes nothing away.
  Result<Seen> output(std::string_view session, std::string_view id,
                      std::optional<std::uint64_t> offset, size_t most) const;
  Result<size_t> input(std::string_view session, std::string_view id, std::string_view bytes,
                       bool then_close, std::chrono::milliseconds longest);
  Result<void> signal(std::string_view session, std::string_view id, int number);
  Result<void> resize(std::string_view session, std::string_view id, TerminalSize size);
  // Asks it to end, and ends it when the grace is over. Returns when it has ended.
  Result<JobInfo> kill(std::string_view session, std::string_view id, std::stop_token stop);
  // Until it has ended, `end` has come or `stop` is requested.
  Result<JobInfo> wait(std::string_view session, std::string_view id, Time end,
                       std::stop_token stop) const;

 private:
  struct Job;
  using Found = std::shared_ptr<Job>;

  Result<Found> find(std::string_view session, std::string_view id) const;
  void run(std::stop_token stop);
  void attend(const std::vector<Found>& jobs, std::stop_token stop);
  void settle(Job& job);
  void forget_oldest();

  const sys::Clock& clock_;
  JobLedger* const ledger_;
  const JobLimits limits_;

  mutable std::mutex mutex_;  // guards what follows; a job's own is taken after it, never before
  mutable std::condition_variable_any changed_;
  std::map<std::string, Found, std::less<>> jobs_;  // by id, and so by age
  std::optional<sys::Wakeup> wakeup_;
  std::jthread thread_;
};

}  // namespace helve::process
