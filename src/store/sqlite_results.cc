// Stored results in SQLite.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

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
                                                 Effect effect, std::string_view text) {
  if (text.size() > kMaxResultBytes) {
    return Error{
        .code = Code::too_large,
        .message = fmt::format("a result of {} is too large to store", human_size(text.size())),
        .hint = fmt::format("at most {} are kept; ask for less", human_size(kMaxResultBytes))};
  }
  TRY(check_session_id(session));
  const std::uint64_t chars = count_chars(text);
  const std::int64_t now = clock_.unix_ms();
  const Durability durability = effect == Effect::read ? Durability::process_death : promised_;
  Transaction transaction = TRY(Transaction::begin(*database_, durability));
  TRY(make_room(text.size()));
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
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, x'') RETURNING key"));
  insert.text(1, session).integer(2, number).text(3, cut_utf8(tool, kMaxName));
  insert.integer(4, static_cast<std::int64_t>(chars)).integer(5, now);
  insert.integer(6, static_cast<std::int64_t>(text.size()));
  TRY(insert.step());
  const std::int64_t key = insert.integer_at(0);
  TRY(insert.run());
  TRY(write_pages(key, text));
  TRY(transaction.commit());
  return Results::Stored{
      .id = id_of(number), .tool = std::string(tool), .chars = chars, .created_ms = now};
}

// Between two prunings there may be many results, and each may be large.
Result<void> SqliteStore::make_room(std::uint64_t bytes) {
  const std::uint64_t keep = result_bytes_ - std::min(bytes, result_bytes_);
  while (true) {
    const std::int64_t stored =
        TRY(database_->integer("SELECT coalesce(sum(bytes), 0) FROM results"));
    if (static_cast<std::uint64_t>(stored) <= keep) return {};
    if (TRY(prune_results(std::numeric_limits<std::int64_t>::min(), keep)) == 0) return {};
  }
}

Result<void> SqliteStore::write_pages(std::int64_t result, std::string_view text) {
  Statement insert =
      TRY(database_->prepare("INSERT INTO result_pages (result, page, text) VALUES (?1, ?2, ?3)"));
  for (std::int64_t page = 1; !text.empty(); ++page) {
    const std::string_view part = first_chars(text, Results::kPageChars);
    TRY(insert.integer(1, result).integer(2, page).blob(3, part).run());
    insert.again();
    text.remove_prefix(part.size());
  }
  return {};
}

Result<std::string> SqliteStore::result_text(std::string_view session, std::string_view id) {
  Statement query = TRY(database_->prepare(
      "SELECT key, bytes, text FROM results WHERE session = ?1 AND number = ?2"));
  if (!TRY(query.text(1, session).integer(2, number_in(id)).step()))
    return unknown_result(session, id);
  std::string text = query.bytes_at(2);
  text.reserve(static_cast<size_t>(query.integer_at(1)));
  Statement pages =
      TRY(database_->prepare("SELECT text FROM result_pages WHERE result = ?1 ORDER BY page"));
  pages.integer(1, query.integer_at(0));
  while (TRY(pages.step())) text += pages.bytes_at(0);
  return text;
}

Result<Results::Page> SqliteStore::result_page(std::string_view session, std::string_view id,
                                               std::uint64_t page) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT chars, (SELECT text FROM result_pages WHERE result = key AND page = ?3),
  bytes > 0 AND NOT EXISTS (SELECT 1 FROM result_pages WHERE result = key)
FROM results WHERE session = ?1 AND number = ?2)sql"));
  query.text(1, session).integer(2, number_in(id)).integer(3, static_cast<std::int64_t>(page));
  if (!TRY(query.step())) return unknown_result(session, id);
  const bool is_whole = query.integer_at(2) != 0;
  if (is_whole) return Results::page_of(TRY(result_text(session, id)), page);
  const auto chars = static_cast<std::uint64_t>(query.integer_at(0));
  return Results::Page{
      .text = query.bytes_at(1), .chars = chars, .pages = Results::pages_of(chars)};
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
