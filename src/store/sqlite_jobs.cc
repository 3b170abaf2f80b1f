// Background jobs in SQLite.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "store/sqlite_store.h"
#include "sys/process_identity.h"

namespace helve::store {
namespace {

// What is known of an end stays when the same job is written again.
constexpr std::string_view kInsert = R"sql(
INSERT INTO jobs (id, session, command, directory, process, state, started_ms, ended_ms, how,
                  exit_code, signal, timed_out, told, output_bytes, output)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
ON CONFLICT (id) DO UPDATE
SET process = excluded.process, state = excluded.state, ended_ms = excluded.ended_ms,
    how = excluded.how, exit_code = excluded.exit_code, signal = excluded.signal,
    timed_out = excluded.timed_out, told = max(told, excluded.told),
    output_bytes = excluded.output_bytes, output = excluded.output)sql";

void bind(Statement& statement, const JobRecord& job) {
  statement.text(1, cut_utf8(job.id, kMaxName)).text(2, cut_utf8(job.session, kMaxName));
  statement.blob(3, cut_utf8(job.command, kMaxJobCommand))
      .blob(4, cut_utf8(job.directory, kMaxPath));
  statement.text(5, {}).text(6, job.state);
  statement.integer(7, job.started_ms).integer(8, job.ended_ms);
  statement.text(9, cut_utf8(job.end, kMaxName)).integer(10, job.exit_code);
  statement.text(11, cut_utf8(job.signal, kMaxName)).integer(12, job.timed_out);
  statement.integer(13, job.is_told).integer(14, static_cast<std::int64_t>(job.output_bytes));
  const std::string_view output = job.output;
  statement.blob(15, output.substr(output.size() - std::min(output.size(), kMaxJobOutput)));
}

JobRecord job_at(const Statement& row) {
  return {.id = row.bytes_at(0),
          .session = row.bytes_at(1),
          .command = row.bytes_at(2),
          .directory = row.bytes_at(3),
          .state = row.bytes_at(4),
          .started_ms = row.integer_at(5),
          .ended_ms = row.integer_at(6),
          .end = row.bytes_at(7),
          .exit_code = static_cast<int>(row.integer_at(8)),
          .signal = row.bytes_at(9),
          .timed_out = row.integer_at(10) != 0,
          .is_told = row.integer_at(11) != 0,
          .output_bytes = static_cast<std::uint64_t>(row.integer_at(12))};
}

}  // namespace

Result<void> SqliteStore::begin_job(const JobRecord& job) {
  if (process_.empty()) process_ = sys::process_identity();
  TRY(check_session_id(job.session));
  Transaction transaction = TRY(Transaction::begin(*database_, promised_));
  TRY(prune_jobs(std::numeric_limits<std::int64_t>::min(), Retention{}.jobs));
  Statement insert = TRY(database_->prepare(kInsert));
  bind(insert, job);
  TRY(insert.text(5, process_).text(6, kRunning).run());
  return transaction.commit();
}

Result<void> SqliteStore::end_job(const JobRecord& job) {
  TRY(check_session_id(job.session));
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement insert = TRY(database_->prepare(kInsert));
  bind(insert, job);
  TRY(insert.run());
  return transaction.commit();
}

Result<std::vector<JobRecord>> SqliteStore::jobs(std::string_view session) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT id, session, command, directory, state, started_ms, ended_ms, how, exit_code, signal,
       timed_out, told, output_bytes
FROM jobs WHERE session = ?1 ORDER BY key DESC LIMIT ?2)sql"));
  query.text(1, session).integer(2, static_cast<std::int64_t>(kMaxListedJobs));
  std::vector<JobRecord> jobs;
  while (TRY(query.step())) jobs.push_back(job_at(query));
  std::ranges::reverse(jobs);
  return jobs;
}

Result<std::string> SqliteStore::job_output(std::string_view session, std::string_view id) {
  Statement query =
      TRY(database_->prepare("SELECT output FROM jobs WHERE session = ?1 AND id = ?2"));
  if (!TRY(query.text(1, session).text(2, id).step())) return std::string();
  return query.bytes_at(0);
}

// A claim of a process that has died is void: it may have died before it told anything.
Result<std::vector<std::string>> SqliteStore::claim_telling(std::span<const std::string> ids) {
  if (process_.empty()) process_ = sys::process_identity();
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement query = TRY(database_->prepare("SELECT process FROM jobs WHERE id = ?1 AND told = 0"));
  Statement update = TRY(database_->prepare("UPDATE jobs SET process = ?1 WHERE id = ?2"));
  std::vector<std::string> claimed;
  for (const std::string& id : ids) {
    const bool is_untold = TRY(query.text(1, id).step());
    const std::string teller = is_untold ? query.bytes_at(0) : "";
    query.again();
    const bool is_taken =
        !teller.empty() && teller != process_ && sys::liveness_of(teller) == sys::Liveness::alive;
    if (!is_untold || is_taken) continue;
    TRY(update.text(1, process_).text(2, id).run());
    update.again();
    claimed.push_back(id);
  }
  TRY(transaction.commit());
  return claimed;
}

Result<void> SqliteStore::release_telling(std::span<const std::string> ids) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement update = TRY(database_->prepare(
      "UPDATE jobs SET process = '' WHERE id = ?1 AND process = ?2 AND state <> 'running'"));
  for (const std::string& id : ids) {
    TRY(update.text(1, id).text(2, process_).run());
    update.again();
  }
  return transaction.commit();
}

Result<void> SqliteStore::mark_told(std::span<const std::string> ids) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement update =
      TRY(database_->prepare("UPDATE jobs SET told = 1, process = '' WHERE id = ?1"));
  for (const std::string& id : ids) {
    TRY(update.text(1, id).run());
    update.again();
  }
  return transaction.commit();
}

Result<std::uint64_t> SqliteStore::mark_lost_jobs(std::int64_t unknown_before_ms) {
  std::vector<std::string> processes;
  {
    Statement query = TRY(database_->prepare(
        "SELECT DISTINCT process FROM jobs WHERE state = 'running' ORDER BY process"));
    while (TRY(query.step())) processes.push_back(query.bytes_at(0));
  }
  std::uint64_t lost = 0;
  for (const std::string& process : processes) {
    const sys::Liveness liveness = sys::liveness_of(process);
    if (liveness == sys::Liveness::alive) continue;
    Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
    Statement update = TRY(
        database_->prepare("UPDATE jobs SET state = ?1, how = ?2, process = '' "
                           "WHERE state = 'running' AND process = ?3 AND (?4 OR started_ms < ?5)"));
    update.text(1, kLost).text(2, "lost: the process that ran it was killed").text(3, process);
    update.integer(4, liveness == sys::Liveness::gone).integer(5, unknown_before_ms);
    TRY(update.run());
    lost += database_->changes();
    TRY(transaction.commit());
  }
  return lost;
}

}  // namespace helve::store
