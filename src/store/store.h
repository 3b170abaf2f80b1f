// Store: durable state behind one interface: sessions, the record of calls, background jobs, stored
// results, conversations, documents. SQLite serves it; a second engine implements the same class
// and passes the same tests.
//
// Thread rule: a Store is one connection, used by one thread at a time. Any number may be open on
// the same data at once, in one process or in several.
//
// Durability: what an operation acknowledged survives the death of the process. begin_call,
// begin_job and keep_result also survive a power loss, unless Options::sync is false: a call is
// about to have effects, or had them and cannot be made again. The answer of a call that only read
// can. The other writes may lose the last moments before a power loss; a call or job whose end is
// lost that way is later marked as lost.
//
// Bytes go in and come out unchanged, NUL and invalid UTF-8 included.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/conversation.h"
#include "store/documents.h"
#include "tool/services.h"

namespace helve::store {

constexpr size_t kMaxResultBytes = 256u << 20;       // of one stored result
constexpr std::uint64_t kMaxStoredBytes = 1u << 30;  // of all, unless told otherwise
// Bytes of what is recorded about a call; the rest is cut. A session's own id is refused when it is
// longer.
constexpr size_t kMaxRecordedMessage = 10'000;
constexpr size_t kMaxName = 1'000;
constexpr size_t kMaxPath = 4'096;
constexpr size_t kMaxListed = 10'000;  // rows of one answer
constexpr size_t kMaxListedJobs = 1'000;
constexpr size_t kMaxJobCommand = 10'000;    // bytes
constexpr size_t kMaxJobOutput = 32u << 10;  // bytes of the end of its output

// The outcome of a call, and the state of a job, that has not ended, and of one whose process died
// before it told the end.
constexpr std::string_view kRunning = "running";
constexpr std::string_view kLost = "lost";
constexpr std::string_view kEnded = "ended";  // a job
// When something that runs in a process that cannot be asked about counts as lost.
constexpr std::chrono::milliseconds kUnknownAge = std::chrono::days(1);

// Types of errors that callers act on: another process holds the lock; the data is no longer where
// it was opened; the disk failed.
constexpr std::string_view kBusy = "database_busy";
constexpr std::string_view kMoved = "database_moved";
constexpr std::string_view kBroken = "io_error";

// A session is an identity: its id is `who.session`.
struct SessionRecord {
  Identity who;
  std::int64_t created_ms = 0;
};

struct CallFilter {
  std::optional<std::string> session = {};  // empty: all
  std::optional<std::string> tool = {};
  std::optional<std::string> workspace = {};
  size_t limit = 100;  // at most kMaxListed
};

// A command in the background.
struct JobRecord {
  std::string id;
  std::string session;
  std::string command;
  std::string directory;
  std::string state = {};  // kRunning, kEnded or kLost
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;  // 0: it runs, or nobody knows
  std::string end = {};       // in words
  int exit_code = -1;
  std::string signal = {};
  bool timed_out = false;
  bool is_told = false;            // its session was told that it has ended
  std::uint64_t output_bytes = 0;  // all that it wrote
  std::string output = {};         // the end of that
};

// What is kept. Whatever is older or beyond is removed, oldest first.
struct Retention {
  std::chrono::milliseconds age = std::chrono::days(30);
  std::uint64_t calls = 100'000;
  std::uint64_t result_bytes = kMaxStoredBytes;
  std::uint64_t jobs = 2'000;  // besides those that run
};
struct Pruned {
  std::uint64_t calls = 0;
  std::uint64_t results = 0;
  std::uint64_t sessions = 0;
  std::uint64_t jobs = 0;
  bool more = false;  // there is more to remove
};

class Store {
 public:
  virtual ~Store() = default;

  // Until when the following operations may wait for others, all together. Before it is set, each
  // waits for the busy timeout.
  virtual void set_deadline(std::chrono::steady_clock::time_point deadline) = 0;

  // Of the layout of the data: grows by one with each migration.
  virtual Result<int> version() = 0;

  // A session that exists stays as it is, except that an identity unknown so far is filled in.
  virtual Result<void> ensure_session(const SessionRecord& session) = 0;
  virtual Result<SessionRecord> session(std::string_view id) = 0;
  virtual Result<std::vector<SessionRecord>> sessions(size_t limit) = 0;  // newest first

  // A call is known by its id together with started_ms, and its session need not exist before.
  // begin_call writes the outcome "running", whatever the record says, and who runs it: this
  // process.
  virtual Result<void> begin_call(const CallRecord& call) = 0;
  // These two replace what was written about the same call, so that a repeated write leaves one
  // row.
  virtual Result<void> finish_call(const CallRecord& call) = 0;
  virtual Result<void> add_calls(std::span<const CallRecord> calls) = 0;        // all or none
  virtual Result<std::vector<CallRecord>> calls(const CallFilter& filter) = 0;  // newest first
  // Gives the outcome "lost" to running calls whose process has died; says to how many. Where that
  // cannot be known (a process of another container) a call counts as lost when it began before
  // `unknown_before_ms`.
  virtual Result<std::uint64_t> mark_lost(std::int64_t unknown_before_ms) = 0;

  // A job of this process, which runs it; the oldest that have ended go where there are too many.
  virtual Result<void> begin_job(const JobRecord& job) = 0;
  // Whether it is known already or not.
  virtual Result<void> end_job(const JobRecord& job) = 0;
  // The newest kMaxListedJobs of a session, the oldest first, without their output.
  virtual Result<std::vector<JobRecord>> jobs(std::string_view session) = 0;
  // Empty when there is none, and no such job.
  virtual Result<std::string> job_output(std::string_view session, std::string_view id) = 0;
  // This process is about to tell their session that they have ended. Those for which that is left
  // to it: no other living process does so, and none has.
  virtual Result<std::vector<std::string>> claim_telling(std::span<const std::string> ids) = 0;
  // It could not: others may.
  virtual Result<void> release_telling(std::span<const std::string> ids) = 0;
  // Their session was told that they have ended.
  virtual Result<void> mark_told(std::span<const std::string> ids) = 0;
  // As mark_lost, of jobs.
  virtual Result<std::uint64_t> mark_lost_jobs(std::int64_t unknown_before_ms) = 0;

  // Numbers are counted per session and never used twice, but for one that a power cut took back
  // with its result. not_found (unknown_id) for what another session stored. The oldest results go
  // where a new one would exceed Options::result_bytes.
  virtual Result<Results::Stored> keep_result(std::string_view session, std::string_view tool,
                                              Effect effect, std::string_view text) = 0;
  virtual Result<std::string> result_text(std::string_view session, std::string_view id) = 0;
  // One page, without reading the others. Beyond the last page the text is empty.
  virtual Result<Results::Page> result_page(std::string_view session, std::string_view id,
                                            std::uint64_t page) = 0;
  virtual Result<std::vector<Results::Stored>> results(
      std::string_view session) = 0;  // oldest first

  // Conversations are kept until somebody removes them. A conflict (session_exists) where there is
  // one of this id.
  virtual Result<void> begin_conversation(const Conversation& conversation) = 0;
  virtual Result<Conversation> conversation(std::string_view session) = 0;
  // Those that changed last come first.
  virtual Result<std::vector<Conversation>> conversations(const ConversationFilter& filter) = 0;
  virtual Result<void> rename_conversation(std::string_view session, std::string_view title) = 0;
  virtual Result<void> set_conversation_model(std::string_view session, std::string_view model) = 0;
  // With its entries and its inbox; stored results stay until they are pruned, and what it spent
  // counts for its parent. A conflict (session_busy) while a living process works on it.
  virtual Result<void> remove_conversation(std::string_view session) = 0;
  // A new one, `to`, with the entries of another up to that number; it has spent nothing yet.
  virtual Result<void> copy_conversation(std::string_view from, std::uint64_t last,
                                         const Conversation& to) = 0;

  // All or none. Returns the number of the last one. What an entry takes out of the inbox must be
  // there: else a conflict (already_taken), so that nothing is told twice.
  virtual Result<std::uint64_t> append_entries(std::string_view session,
                                               std::span<const Entry> entries, const Spent& spent,
                                               Keep keep) = 0;
  // What was spent below it, by sub-agents and theirs, counts for it from now on, and for those
  // between; what did before is not counted again.
  virtual Result<void> collect_spent(std::string_view session) = 0;
  // Those after `after`, at most kMaxEntriesRead.
  virtual Result<std::vector<Entry>> entries(std::string_view session, std::uint64_t after,
                                             size_t limit) = 0;

  // The last one of that kind; nothing where there is none.
  virtual Result<std::optional<Entry>> last_entry(std::string_view session,
                                                  std::string_view kind) = 0;

  virtual Result<std::uint64_t> count_entries(std::string_view session, std::string_view kind) = 0;

  // On disk when it returns. False: it was posted before, whatever has become of it.
  virtual Result<bool> post(const Post& post) = 0;
  virtual Result<std::vector<Post>> posts(std::string_view session) = 0;  // oldest first
  // Sessions with something in their inbox.
  virtual Result<std::vector<std::string>> sessions_with_posts() = 0;

  // Whether this process may work on the conversation: no other living one does. Until it lets go,
  // or dies.
  virtual Result<bool> claim_conversation(std::string_view session) = 0;
  virtual Result<void> release_conversation(std::string_view session) = 0;

  // What `parent` has begun and nobody sees to its end any more: the process that worked on it
  // died, or it has yet to begin. What only waits for its turn somewhere is among them.
  virtual Result<std::vector<Conversation>> left_behind(std::string_view parent) = 0;

  // The documents of a shelf: a workspace's, or the user's own. Borrows this store.
  virtual std::unique_ptr<Documents> documents(std::string shelf) = 0;

  // Removes a bounded part of what retention no longer covers, so that others wait only briefly.
  virtual Result<Pruned> prune(const Retention& retention) = 0;
  // True for exactly one caller, of all processes, in each period: it does the chore.
  virtual Result<bool> claim_chore(std::string_view name, std::chrono::milliseconds period) = 0;
};

}  // namespace helve::store
