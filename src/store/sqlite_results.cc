// Stored results in SQLite.
#include <fmt/core.h>

#include <charconv>

#include "base/text.h"
#include "store/sqlite_store.h"
#include "sys/clock.h"

namespace helve::store {
namespace {

constexpr std::string_view kPrefix = "lr_";

std::string id_of(std::int64_t number) { return fmt::format("{}{}", kPrefix, number); }

// The number in "lr_7"; 0, which is never given, for anything that is not exactly an id.
std::int64_t number_in(std::string_view id) {
  std::int64_t number = 0;
  if (!id.starts_with(kPrefix)) return 0;
  std::from_chars(id.data() + kPrefix.size(), id.data() + id.size(), number);
  return id_of(number) == id ? number : 0;
}

}  // namespace

Result<Results::Stored> SqliteStore::keep_result(std::string_view session, std::string_view tool,
                                                 std::string_view text) {
  if (text.size() > kMaxResultBytes) {
    return Error{
        .code = Code::too_large,
        .message = fmt::format("a result of {} is too large to store", human_size(text.size())),
        .hint = fmt::format("at most {} are kept; ask for less", human_size(kMaxResultBytes))};
  }
  TRY(check_session_id(session));
  const std::uint64_t chars = count_chars(text);
  const std::int64_t now = clock_.unix_ms();
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::power_loss));
  TRY(write_session({.session = std::string(session)}, now));
  // Counted in the session's own row, so that a number is not given again after its result was
  // pruned.
  Statement count = TRY(database_->prepare(
      "UPDATE sessions SET last_result = last_result + 1 WHERE id = ?1 RETURNING last_result"));
  TRY(count.text(1, session).step());
  const std::int64_t number = count.integer_at(0);
  TRY(count.run());
  Statement insert = TRY(database_->prepare(
      "INSERT INTO results (session, number, tool, chars, created_ms, bytes, text) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  insert.text(1, session).integer(2, number).text(3, cut_utf8(tool, kMaxName));
  insert.integer(4, static_cast<std::int64_t>(chars)).integer(5, now);
  insert.integer(6, static_cast<std::int64_t>(text.size())).blob(7, text);
  TRY(insert.run());
  TRY(transaction.commit());
  return Results::Stored{
      .id = id_of(number), .tool = std::string(tool), .chars = chars, .created_ms = now};
}

Result<std::string> SqliteStore::result_text(std::string_view session, std::string_view id) {
  Statement query =
      TRY(database_->prepare("SELECT text FROM results WHERE session = ?1 AND number = ?2"));
  if (TRY(query.text(1, session).integer(2, number_in(id)).step())) return query.bytes_at(0);
  return unknown_result(session, id);
}

Error SqliteStore::unknown_result(std::string_view session, std::string_view id) {
  Error error{.code = Code::not_found,
              .message = fmt::format("no stored result '{}' in this session",
                                     escape_for_display(preview(id, kMaxShownId))),
              .hint = "this session has stored no results",
              .type = "unknown_id"};
  Result<Statement> range =
      database_->prepare("SELECT min(number), max(number) FROM results WHERE session = ?1");
  if (range && range->text(1, session).step().value_or(false) && range->integer_at(0) > 0) {
    error.hint = fmt::format("this session has {} to {}", id_of(range->integer_at(0)),
                             id_of(range->integer_at(1)));
  }
  return error;
}

Result<std::vector<Results::Stored>> SqliteStore::results(std::string_view session) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT number, tool, chars, created_ms FROM results
WHERE session = ?1 ORDER BY number LIMIT ?2)sql"));
  query.text(1, session).integer(2, static_cast<std::int64_t>(kMaxListed));
  std::vector<Results::Stored> results;
  while (TRY(query.step())) {
    results.push_back({.id = id_of(query.integer_at(0)),
                       .tool = query.bytes_at(1),
                       .chars = static_cast<std::uint64_t>(query.integer_at(2)),
                       .created_ms = query.integer_at(3)});
  }
  return results;
}

}  // namespace helve::store
