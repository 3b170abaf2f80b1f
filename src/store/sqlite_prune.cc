// Removing from SQLite what retention no longer covers.
#include <algorithm>
#include <limits>

#include "store/sqlite_store.h"
#include "sys/clock.h"

namespace helve::store {
namespace {

// Of one transaction: others wait meanwhile.
constexpr std::int64_t kCallsAtOnce = 20'000;
constexpr std::int64_t kResultsAtOnce = 64;
constexpr std::int64_t kSessionsAtOnce = 5'000;
constexpr std::int64_t kJobsAtOnce = 500;

// SQLite has no larger numbers, and takes what is beyond them for negative ones.
std::int64_t bounded(std::uint64_t number) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

Result<Pruned> SqliteStore::prune(const Retention& retention) {
  const std::int64_t before_ms = clock_.unix_ms() - retention.age.count();
  Pruned pruned;
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  pruned.calls = TRY(prune_calls(before_ms, retention.calls));
  pruned.results = TRY(prune_results(before_ms, retention.result_bytes));
  pruned.jobs = TRY(prune_jobs(before_ms, retention.jobs));
  TRY(prune_posts(before_ms));
  if (pruned.calls < kCallsAtOnce) TRY(prune_identities());  // once, at the last step
  pruned.sessions = TRY(prune_sessions(before_ms));
  pruned.more = pruned.calls == kCallsAtOnce || pruned.results == kResultsAtOnce ||
                pruned.sessions == kSessionsAtOnce || pruned.jobs == kJobsAtOnce;
  TRY(transaction.commit());
  return pruned;
}

Result<std::uint64_t> SqliteStore::prune_calls(std::int64_t before_ms, std::uint64_t keep) {
  // The newest row beyond the ones to keep; it and all older ones go.
  Statement first = TRY(database_->prepare(
      "SELECT started_ms, id FROM calls ORDER BY started_ms DESC, id DESC LIMIT 1 OFFSET ?1"));
  std::int64_t edge_ms = before_ms;
  std::string edge_id;  // sorts before every id
  if (TRY(first.integer(1, bounded(keep)).step()) && first.integer_at(0) >= before_ms) {
    edge_ms = first.integer_at(0);
    edge_id = first.bytes_at(1);
  }
  // No further than one step goes.
  Statement last = TRY(database_->prepare(R"sql(
SELECT started_ms, id FROM calls WHERE (started_ms, id) <= (?1, ?2)
ORDER BY started_ms, id LIMIT 1 OFFSET ?3)sql"));
  if (TRY(last.integer(1, edge_ms).text(2, edge_id).integer(3, kCallsAtOnce - 1).step())) {
    edge_ms = last.integer_at(0);
    edge_id = last.bytes_at(1);
  }
  Statement remove =
      TRY(database_->prepare("DELETE FROM calls WHERE (started_ms, id) <= (?1, ?2)"));
  TRY(remove.integer(1, edge_ms).text(2, edge_id).run());
  return database_->changes();
}

Result<std::uint64_t> SqliteStore::prune_results(std::int64_t before_ms, std::uint64_t keep_bytes) {
  Statement remove = TRY(database_->prepare(R"sql(
DELETE FROM results WHERE key IN (
  SELECT key FROM (
    SELECT key, created_ms, sum(bytes) OVER (ORDER BY created_ms DESC, key DESC) AS total
    FROM results)
  WHERE created_ms < ?1 OR total > ?2
  ORDER BY created_ms, key LIMIT ?3))sql"));
  remove.integer(1, before_ms).integer(2, bounded(keep_bytes));
  remove.integer(3, kResultsAtOnce);
  TRY(remove.run());
  return database_->changes();
}

// A job that runs stays, however old it is. Keys grow with time.
Result<std::uint64_t> SqliteStore::prune_jobs(std::int64_t before_ms, std::uint64_t keep) {
  Statement remove = TRY(database_->prepare(R"sql(
DELETE FROM jobs WHERE key IN (
  SELECT key FROM jobs WHERE state <> 'running' AND (started_ms < ?1 OR key <= coalesce(
    (SELECT key FROM jobs WHERE state <> 'running' ORDER BY key DESC LIMIT 1 OFFSET ?2), -1))
  ORDER BY key LIMIT ?3))sql"));
  remove.integer(1, before_ms).integer(2, bounded(keep)).integer(3, kJobsAtOnce);
  TRY(remove.run());
  return database_->changes();
}

// Nobody posts the same again after so long a time.
Result<void> SqliteStore::prune_posts(std::int64_t before_ms) {
  Statement remove =
      TRY(database_->prepare("DELETE FROM posts WHERE taken = 1 AND posted_ms < ?1"));
  return remove.integer(1, before_ms).run();
}

// Those that no call has any more. There are few, next to the calls.
Result<void> SqliteStore::prune_identities() {
  Statement remove =
      TRY(database_->prepare("DELETE FROM identities WHERE key NOT IN (SELECT who FROM calls)"));
  return remove.run();
}

Result<std::uint64_t> SqliteStore::prune_sessions(std::int64_t before_ms) {
  Statement remove = TRY(database_->prepare(R"sql(
DELETE FROM sessions WHERE id IN (
  SELECT id FROM sessions
  WHERE created_ms < ?1 AND id NOT IN (SELECT session FROM identities)
    AND id NOT IN (SELECT session FROM results)
  ORDER BY created_ms LIMIT ?2))sql"));
  TRY(remove.integer(1, before_ms).integer(2, kSessionsAtOnce).run());
  return database_->changes();
}

}  // namespace helve::store
