// Jobs: the commands that run in the background, by id and session. One thread takes their output
// and notices their end; whoever asks finds both here. A ledger remembers them beyond this process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "process/running.h"
#include "sys/clock.h"
#include "sys/stream.h"

namespace helve::process {

enum class JobState : unsigned char {
  running,
  elsewhere,  // it runs, in another process of helve, which alone can reach it
  ended,
  lost,  // the process that ran it died before it told the end
};
std::string_view name_of(JobState state);
inline bool runs(JobState state) {
  return state == JobState::running || state == JobState::elsewhere;
}

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
  bool is_told = false;  // its session was told that it has ended
  std::uint64_t output_bytes = 0;
  bool has_terminal = false;  // as far as is known
  bool is_stopped = false;    // halted by a signal while it runs
};

// Remembers jobs beyond the life of this process. Thread-safe.
class JobLedger {
 public:
  virtual ~JobLedger() = default;
  // Before the job counts as started; on disk when it returns.
  virtual Result<void> began(const JobInfo& job) = 0;
  // Its end, with the end of its output. What cannot be written now is written later.
  virtual void ended(const JobInfo& job, std::string_view output) = 0;
  // Those of them that no other process tells, or has told, of. This one does so now.
  virtual Result<std::vector<std::string>> claim(std::span<const std::string> ids) = 0;
  // This process did not tell it after all. What cannot be written is left to our end.
  virtual void released(std::span<const std::string> ids) = 0;
  // Its session was told of that. What cannot be written now is written later.
  virtual void told(std::span<const std::string> ids) = 0;
  // All jobs of a session, also those of other processes, the oldest first. One that runs does so
  // elsewhere, as far as this process does not know better.
  virtual Result<std::vector<JobInfo>> jobs(std::string_view session) = 0;
  // The end of the output of a job that has ended; empty when there is none.
  virtual Result<std::string> output(std::string_view session, std::string_view id) = 0;
};

struct JobLimits {
  size_t running = 1000;
  size_t kept_outputs = 64;  // of jobs that have ended
  size_t kept_records = 1000;
  size_t recorded_output = 32u << 10;  // bytes of the end of an output, in the ledger
};

// Thread-safe.
class Jobs {
 public:
  // `ledger` may be null: then jobs are forgotten with this process. Borrows both.
  Jobs(const sys::Clock& clock, JobLedger* ledger, JobLimits limits = {});
  ~Jobs();  // ends them all, after a short grace that they share
  Jobs(const Jobs&) = delete;

  struct New {
    std::string session, command, cwd;
    std::optional<Time> deadline = {};
    std::chrono::milliseconds grace{0};  // between asking it to end and ending it
    bool is_recorded = true;             // in the ledger
  };
  // Looks after a command from now on. Its id.
  Result<std::string> adopt(New job, std::unique_ptr<Running> running);

  // Errors of all below: not_found (unknown_id), which names the ids that there are. What needs a
  // job that runs here: conflict (has_ended, runs_elsewhere; resize: no_terminal).
  Result<JobInfo> info(std::string_view session, std::string_view id);
  struct Listed {
    std::vector<JobInfo> jobs;     // the oldest first
    std::optional<Error> problem;  // why those of other processes are not among them
  };
  Listed list(std::string_view session);
  struct Seen {
    JobInfo job;
    std::string bytes;         // raw
    std::uint64_t offset = 0;  // of the first of them
    std::uint64_t next = 0;    // where to go on
    std::uint64_t first = 0;   // the first byte that is kept
    bool is_kept = true;       // false: what it wrote is not known any more, or not here
  };
  // Output from `offset` on; without one, the end of it. Takes nothing away.
  Result<Seen> output(std::string_view session, std::string_view id,
                      std::optional<std::uint64_t> offset, size_t most);
  Result<size_t> input(std::string_view session, std::string_view id, std::string_view bytes,
                       bool then_close, std::chrono::milliseconds longest);
  Result<void> signal(std::string_view session, std::string_view id, int number);
  Result<void> resize(std::string_view session, std::string_view id, TerminalSize size);
  // Asks it to end, and ends it when the grace is over. Returns when it has ended.
  Result<JobInfo> kill(std::string_view session, std::string_view id, std::stop_token stop);
  // Until it has ended, `end` has come or `stop` is requested.
  Result<JobInfo> wait(std::string_view session, std::string_view id, Time end,
                       std::stop_token stop);

  // The session may have jobs of earlier processes, and is to be told what became of them.
  void resume(std::string_view session);
  // Whether any session is to be told of anything. Costs next to nothing.
  bool has_news() const { return has_news_.load(std::memory_order_relaxed); }
  struct News {
    std::vector<JobInfo> ended;  // to be told
    std::vector<std::string>
        ids;          // of those, and of others that the answer to wait or kill tells anyway
    size_t more = 0;  // for the next time
  };
  // Jobs of a session that have ended or are lost, and of which it was not told. Whoever takes
  // them tells them and then says whether that arrived; nobody else gets them meanwhile.
  News take_news(std::string_view session, size_t most);
  enum class Arrival : unsigned char { arrived, failed };
  void settle_news(std::string_view session, std::span<const std::string> ids, Arrival arrival);

 private:
  struct Job;
  using Found = std::shared_ptr<Job>;

  Found known(std::string_view session, std::string_view id) const;  // null: none in memory
  Result<Found> find(std::string_view session, std::string_view id);
  // The same, unless only another process can reach it.
  Result<Found> find_here(std::string_view session, std::string_view id);
  Result<void> consult_ledger(std::string_view session);
  void merge(JobInfo recorded);
  void drop_told_elsewhere(News& news);
  void wake();
  void run(std::stop_token stop);
  std::vector<Found> those_that_run() const;
  void attend(const std::vector<Found>& jobs, std::stop_token stop, std::string_view why = {});
  void settle(Job& job, std::string_view why);
  void announce(const std::string& session);  // with mutex_ held
  void forget_oldest();

  const sys::Clock& clock_;
  JobLedger* const ledger_;
  const JobLimits limits_;

  mutable std::mutex mutex_;  // guards what follows; a job's own is taken after it, never before
  mutable std::condition_variable_any changed_;
  std::map<std::string, Found, std::less<>> jobs_;  // by id, and so by age
  std::set<std::string, std::less<>> news_;         // sessions that may have something to be told
  std::atomic<bool> has_news_ = false;              // the same as !news_.empty()
  std::optional<sys::Wakeup> wakeup_;
  std::jthread thread_;
};

}  // namespace helve::process
