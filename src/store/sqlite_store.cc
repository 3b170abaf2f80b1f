#include "store/sqlite_store.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "store/sqlite_migrations.h"
#include "sys/clock.h"
#include "sys/private_file.h"

namespace helve::store {
namespace {

SessionRecord session_at(const Statement& row) {
  return {.who = {.agent = row.bytes_at(1),
                  .user = row.bytes_at(2),
                  .workspace = row.bytes_at(3),
                  .session = row.bytes_at(0)},
          .created_ms = row.integer_at(4)};
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, const Options& options,
                                           const sys::Clock& clock, Deadline deadline) {
  TRY(sys::ensure_private_file(path));
  // They hold what the file holds. New ones get its mode.
  for (const char* ending : {"-wal", "-shm"}) TRY(sys::keep_private(path + ending));
  std::unique_ptr<Database> database = TRY(Database::open(path, options.busy_timeout));
  database->set_deadline(deadline);
  TRY(migrate(*database, migrations()));
  return std::make_unique<SqliteStore>(std::move(database), options, clock);
}

Result<int> SqliteStore::version() {
  return static_cast<int>(TRY(database_->integer("PRAGMA user_version")));
}

Result<void> SqliteStore::check_session_id(std::string_view id) {
  if (id.size() <= kMaxName) return {};
  return Error{Code::invalid_argument,
               fmt::format("a session id of {} bytes is too long", id.size()),
               fmt::format("at most {} bytes", kMaxName)};
}

Result<void> SqliteStore::write_session(const Identity& who, std::int64_t created_ms) {
  Statement insert = TRY(database_->prepare(R"sql(
INSERT INTO sessions (id, agent, user, workspace, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (id) DO UPDATE
SET agent = excluded.agent, user = excluded.user, workspace = excluded.workspace
WHERE agent = '' AND user = '' AND workspace = x'')sql"));
  insert.text(1, cut_utf8(who.session, kMaxName)).text(2, cut_utf8(who.agent, kMaxName));
  insert.text(3, cut_utf8(who.user, kMaxName))
      .blob(4, cut_utf8(who.workspace, kMaxPath))
      .integer(5, created_ms);
  return insert.run();
}

Result<void> SqliteStore::ensure_session(const SessionRecord& session) {
  TRY(check_session_id(session.who.session));
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  TRY(write_session(session.who, session.created_ms));
  return transaction.commit();
}

Result<SessionRecord> SqliteStore::session(std::string_view id) {
  Statement query = TRY(database_->prepare(
      "SELECT id, agent, user, workspace, created_ms FROM sessions WHERE id = ?1"));
  if (TRY(query.text(1, id).step())) return session_at(query);
  return Error{
      .code = Code::not_found,
      .message = fmt::format("no session '{}'", escape_for_display(preview(id, kMaxShownId))),
      .hint = "it may be older than what is kept",
      .type = "unknown_session"};
}

Result<std::vector<SessionRecord>> SqliteStore::sessions(size_t limit) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT id, agent, user, workspace, created_ms FROM sessions
ORDER BY created_ms DESC, id DESC LIMIT ?1)sql"));
  query.integer(1, static_cast<std::int64_t>(std::min(limit, kMaxListed)));
  std::vector<SessionRecord> sessions;
  while (TRY(query.step())) sessions.push_back(session_at(query));
  return sessions;
}

Result<bool> SqliteStore::claim_chore(std::string_view name, std::chrono::milliseconds period) {
  const std::int64_t now = clock_.unix_ms();
  // Mostly nothing is due, and that is found out without waiting for writers.
  Statement query = TRY(database_->prepare(
      "SELECT 1 FROM chores WHERE name = ?1 AND claimed_ms BETWEEN ?2 - ?3 + 1 AND ?2"));
  if (TRY(query.text(1, name).integer(2, now).integer(3, period.count()).step())) return false;
  query.again();
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  if (TRY(query.step())) return false;
  query.again();
  // A time in the future is one from a clock that was wrong.
  Statement claim =
      TRY(database_->prepare("INSERT INTO chores (name, claimed_ms) VALUES (?1, ?2) "
                             "ON CONFLICT (name) DO UPDATE SET claimed_ms = excluded.claimed_ms"));
  TRY(claim.text(1, name).integer(2, now).run());
  TRY(transaction.commit());
  return true;
}

}  // namespace helve::store
