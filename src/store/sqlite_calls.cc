// The record of calls in SQLite.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "store/sqlite_store.h"
#include "sys/process_identity.h"

namespace helve::store {
namespace {

// Whether a call that is recorded already is left as it is or replaced.
enum class Existing : bool { keep, replace };

constexpr std::string_view kInsert = R"sql(
INSERT INTO calls (started_ms, id, who, caller, tool, arguments, effect, duration_us, outcome,
                   message, output_bytes, process, decided)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?14)
ON CONFLICT (started_ms, id) DO UPDATE
SET duration_us = excluded.duration_us, outcome = excluded.outcome, message = excluded.message,
    output_bytes = excluded.output_bytes, process = excluded.process
WHERE ?13)sql";

constexpr std::string_view kSelect = R"sql(
SELECT started_ms, id, session, agent, user, workspace, caller, tool, arguments, effect,
       duration_us, outcome, message, output_bytes, decided
FROM call_log WHERE (?1 OR session = ?2) AND (?3 OR tool = ?4)
  AND (?6 OR workspace = ?7)
ORDER BY started_ms DESC, id DESC LIMIT ?5)sql";

void bind(Statement& statement, const CallRecord& call, std::int64_t who, Existing existing) {
  statement.integer(1, call.started_ms).text(2, cut_utf8(call.id, kMaxName)).integer(3, who);
  statement.text(4, name_of(call.caller)).text(5, cut_utf8(call.tool, kMaxName));
  statement.blob(6, cut_utf8(call.arguments, kMaxRecordedArguments)).text(7, name_of(call.effect));
  statement.integer(8, call.duration_us).text(9, cut_utf8(call.outcome, kMaxName));
  statement.blob(10, cut_utf8(call.message, kMaxRecordedMessage));
  statement.integer(11, static_cast<std::int64_t>(call.output_bytes)).text(12, {});
  statement.integer(13, existing == Existing::replace).text(14, cut_utf8(call.decided, kMaxName));
}

// A word that a later program wrote reads as the first one.
template <class Enum>
Enum named(std::string_view name, std::initializer_list<Enum> all) {
  for (Enum value : all) {
    if (name_of(value) == name) return value;
  }
  return *all.begin();
}

CallRecord call_at(const Statement& row) {
  using enum Caller;
  CallRecord call;
  call.started_ms = row.integer_at(0);
  call.id = row.bytes_at(1);
  call.who = {.agent = row.bytes_at(3),
              .user = row.bytes_at(4),
              .workspace = row.bytes_at(5),
              .session = row.bytes_at(2)};
  call.caller = named(row.bytes_at(6), {cli, mcp, model, pipe, test});
  call.tool = row.bytes_at(7);
  call.arguments = row.bytes_at(8);
  call.effect =
      named(row.bytes_at(9), {Effect::read, Effect::write, Effect::execute, Effect::network});
  call.duration_us = row.integer_at(10);
  call.outcome = row.bytes_at(11);
  call.message = row.bytes_at(12);
  call.output_bytes = static_cast<std::uint64_t>(row.integer_at(13));
  call.decided = row.bytes_at(14);
  return call;
}

}  // namespace

Result<std::int64_t> SqliteStore::write_identity(const Identity& who, std::int64_t created_ms) {
  TRY(write_session(who, created_ms));
  auto bind_to = [&](Statement& statement) {
    statement.text(1, cut_utf8(who.session, kMaxName)).text(2, cut_utf8(who.agent, kMaxName));
    statement.text(3, cut_utf8(who.user, kMaxName)).blob(4, cut_utf8(who.workspace, kMaxPath));
  };
  Statement insert = TRY(database_->prepare(
      "INSERT INTO identities (session, agent, user, workspace) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT DO NOTHING"));
  bind_to(insert);
  TRY(insert.run());
  Statement query =
      TRY(database_->prepare("SELECT key FROM identities "
                             "WHERE session = ?1 AND agent = ?2 AND user = ?3 AND workspace = ?4"));
  bind_to(query);
  TRY(query.step());
  return query.integer_at(0);
}

Result<void> SqliteStore::begin_call(const CallRecord& call) {
  if (process_.empty()) process_ = sys::process_identity();
  Transaction transaction = TRY(Transaction::begin(*database_, promised_));
  const std::int64_t who = TRY(write_identity(call.who, call.started_ms));
  Statement insert = TRY(database_->prepare(kInsert));
  bind(insert, call, who, Existing::keep);
  insert.text(9, kRunning).text(12, process_);
  TRY(insert.run());
  if (database_->changes() == 0) {
    return Error{.code = Code::conflict,
                 .message = fmt::format("a call '{}' is recorded already",
                                        escape_for_display(preview(call.id, kMaxShownId))),
                 .hint = "every call needs an id of its own",
                 .type = "duplicate_id"};
  }
  return transaction.commit();
}

Result<void> SqliteStore::finish_call(const CallRecord& call) { return add_calls({&call, 1}); }

Result<void> SqliteStore::add_calls(std::span<const CallRecord> calls) {
  if (calls.empty()) return {};
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  const Identity* latest = nullptr;
  std::int64_t who = 0;
  Statement insert = TRY(database_->prepare(kInsert));
  for (const CallRecord& call : calls) {
    // Neighbours mostly have the same.
    if (!latest || *latest != call.who) who = TRY(write_identity(call.who, call.started_ms));
    latest = &call.who;
    bind(insert, call, who, Existing::replace);
    TRY(insert.run());
    insert.again();
  }
  return transaction.commit();
}

Result<std::vector<CallRecord>> SqliteStore::calls(const CallFilter& filter) {
  Statement query = TRY(database_->prepare(kSelect));
  query.integer(1, !filter.session)
      .text(2, filter.session ? std::string_view(*filter.session) : std::string_view());
  query.integer(3, !filter.tool)
      .text(4, filter.tool ? std::string_view(*filter.tool) : std::string_view());
  query.integer(5, static_cast<std::int64_t>(std::min(filter.limit, kMaxListed)));
  query.integer(6, !filter.workspace)
      .blob(7, filter.workspace ? std::string_view(*filter.workspace) : std::string_view());
  std::vector<CallRecord> calls;
  while (TRY(query.step())) calls.push_back(call_at(query));
  return calls;
}

Result<std::uint64_t> SqliteStore::mark_lost(std::int64_t unknown_before_ms) {
  std::vector<std::string> processes;
  {
    Statement query = TRY(database_->prepare(
        "SELECT DISTINCT process FROM calls WHERE outcome = 'running' ORDER BY process"));
    while (TRY(query.step())) processes.push_back(query.bytes_at(0));
  }
  std::uint64_t lost = 0;
  for (const std::string& process : processes) {
    const sys::Liveness liveness = sys::liveness_of(process);
    if (liveness == sys::Liveness::alive) continue;
    Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
    Statement update = TRY(database_->prepare(
        "UPDATE calls SET outcome = ?1, message = ?2, process = '' "
        "WHERE outcome = 'running' AND process = ?3 AND (?4 OR started_ms < ?5)"));
    update.text(1, kLost)
        .blob(2, "the process that ran it ended before the call did")
        .text(3, process);
    update.integer(4, liveness == sys::Liveness::gone).integer(5, unknown_before_ms);
    TRY(update.run());
    lost += database_->changes();
    TRY(transaction.commit());
  }
  return lost;
}

}  // namespace helve::store
