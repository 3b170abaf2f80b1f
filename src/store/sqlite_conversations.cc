// Conversations in SQLite.
#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "store/sqlite_store.h"
#include "sys/clock.h"
#include "sys/process_identity.h"

namespace helve::store {
namespace {

Error unknown_session(std::string_view session) {
  return {
      .code = Code::not_found,
      .message = fmt::format("no session '{}'", escape_for_display(preview(session, kMaxShownId))),
      .hint = "sessions_list shows those that there are",
      .type = "unknown_session"};
}

Error session_busy(std::string_view session) {
  return {.code = Code::conflict,
          .message = fmt::format("a process works on session '{}'",
                                 escape_for_display(preview(session, kMaxShownId))),
          .hint = "stop it there first, or wait until it has answered",
          .type = "session_busy"};
}

// One that cannot be asked about counts as living.
bool works(std::string_view process) {
  return !process.empty() && sys::liveness_of(process) != sys::Liveness::gone;
}

Conversation conversation_at(const Statement& row) {
  return {.session = row.bytes_at(0),
          .title = row.bytes_at(1),
          .agent = row.bytes_at(2),
          .workspace = row.bytes_at(3),
          .purpose = row.bytes_at(4),
          .parent = row.bytes_at(5),
          .model = row.bytes_at(15),
          .created_ms = row.integer_at(6),
          .changed_ms = row.integer_at(7),
          .entries = static_cast<std::uint64_t>(row.integer_at(8)),
          .spent = {.input = row.integer_at(9),
                    .output = row.integer_at(10),
                    .cache_read = row.integer_at(11),
                    .cache_write = row.integer_at(12),
                    .micro_dollars = row.integer_at(13)},
          .is_at_work = works(row.bytes_at(14))};
}

Entry entry_at(const Statement& row) {
  return {.number = static_cast<std::uint64_t>(row.integer_at(0)),
          .kind = row.bytes_at(1),
          .body = row.bytes_at(3),
          .created_ms = row.integer_at(2)};
}

Result<void> check_size(size_t bytes) {
  if (bytes <= kMaxEntryBytes) return {};
  return Error{Code::too_large,
               fmt::format("a message of {} is too large for a session", human_size(bytes)),
               fmt::format("at most {}", human_size(kMaxEntryBytes))};
}

Result<void> check_model_choice(std::string_view model) {
  if (model.size() <= kMaxModelChoice) return {};
  return Error{
      Code::too_large,
      fmt::format("a choice of a model in {} is too large for a session", human_size(model.size())),
      fmt::format("at most {}", human_size(kMaxModelChoice))};
}

}  // namespace

Result<void> SqliteStore::write_conversation(const Conversation& conversation) {
  TRY(check_session_id(conversation.session));
  TRY(check_model_choice(conversation.model));
  Statement insert = TRY(database_->prepare(R"sql(
INSERT INTO conversations (session, title, agent, workspace, purpose, parent, created_ms,
  changed_ms, entries, input, output, cache_read, cache_write, micro_dollars, process, model)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, 0, 0, 0, 0, 0, '', ?9)
ON CONFLICT (session) DO NOTHING)sql"));
  insert.text(1, conversation.session).blob(2, cut_utf8(conversation.title, kMaxTitle));
  insert.text(3, cut_utf8(conversation.agent, kMaxName));
  insert.blob(4, cut_utf8(conversation.workspace, kMaxPath));
  insert.text(5, cut_utf8(conversation.purpose, kMaxName));
  insert.text(6, cut_utf8(conversation.parent, kMaxName)).integer(7, conversation.created_ms);
  insert.integer(8, static_cast<std::int64_t>(conversation.entries));
  TRY(insert.blob(9, conversation.model).run());
  if (database_->changes() == 1) return {};
  return Error{
      .code = Code::conflict,
      .message = fmt::format("there is a session '{}' already",
                             escape_for_display(preview(conversation.session, kMaxShownId))),
      .type = "session_exists"};
}

Result<void> SqliteStore::begin_conversation(const Conversation& conversation) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  TRY(write_conversation(conversation));
  return transaction.commit();
}

Result<Conversation> SqliteStore::conversation(std::string_view session) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT session, title, agent, workspace, purpose, parent, created_ms, changed_ms, entries,
       input, output, cache_read, cache_write, micro_dollars, process, model
FROM conversations WHERE session = ?1)sql"));
  if (TRY(query.text(1, session).step())) return conversation_at(query);
  return unknown_session(session);
}

Result<std::vector<Conversation>> SqliteStore::conversations(const ConversationFilter& filter) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT session, title, agent, workspace, purpose, parent, created_ms, changed_ms, entries,
       input, output, cache_read, cache_write, micro_dollars, process, model
FROM conversations AS c
WHERE (?1 = x'' OR workspace = ?1) AND (?2 = '' OR parent = ?2)
  AND (?3 = x'' OR instr(title, ?3) OR EXISTS (
       SELECT 1 FROM entries AS e WHERE e.session = c.session
       AND CASE WHEN instr(e.body, ?5) AND json_valid(CAST(e.body AS TEXT)) THEN EXISTS (
           SELECT 1 FROM json_tree(CAST(e.body AS TEXT)) AS said
           WHERE said.key IN ('text', 'arguments') AND said.type = 'text'
           AND instr(said.atom, CAST(?3 AS TEXT))) END))
ORDER BY changed_ms DESC, session DESC LIMIT ?4)sql"));
  query.blob(1, filter.workspace).text(2, filter.parent).blob(3, filter.text);
  // Entries are JSON; what was said, called and answered stands in members of these names. Most
  // entries are ruled out by a look at their bytes.
  const std::string within = to_text(Json(filter.text));
  query.blob(5, std::string_view(within).substr(1, within.size() - 2));
  query.integer(4, static_cast<std::int64_t>(std::min(filter.limit, kMaxConversations)));
  std::vector<Conversation> found;
  while (TRY(query.step())) found.push_back(conversation_at(query));
  return found;
}

Result<void> SqliteStore::rename_conversation(std::string_view session, std::string_view title) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement update =
      TRY(database_->prepare("UPDATE conversations SET title = ?2 WHERE session = ?1"));
  TRY(update.text(1, session).blob(2, cut_utf8(title, kMaxTitle)).run());
  if (database_->changes() == 0) return unknown_session(session);
  return transaction.commit();
}

Result<void> SqliteStore::set_conversation_model(std::string_view session, std::string_view model) {
  TRY(check_model_choice(model));
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement update =
      TRY(database_->prepare("UPDATE conversations SET model = ?2 WHERE session = ?1"));
  TRY(update.text(1, session).blob(2, model).run());
  if (database_->changes() == 0) return unknown_session(session);
  return transaction.commit();
}

Result<void> SqliteStore::remove_conversation(std::string_view session) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  const Conversation removed = TRY(conversation(session));
  if (removed.is_at_work) return session_busy(session);
  TRY(collect_below(removed.parent));
  for (const char* sql :
       {"DELETE FROM entries WHERE session = ?1", "DELETE FROM posts WHERE session = ?1",
        "DELETE FROM conversations WHERE session = ?1"}) {
    Statement remove = TRY(database_->prepare(sql));
    TRY(remove.text(1, session).run());
  }
  return transaction.commit();
}

Result<void> SqliteStore::copy_conversation(std::string_view from, std::uint64_t last,
                                            const Conversation& to) {
  Transaction transaction = TRY(Transaction::begin(*database_, promised_));
  const Conversation known = TRY(conversation(from));
  Conversation copy = to;
  copy.entries = std::min(last, known.entries);
  copy.model = known.model;
  TRY(write_conversation(copy));
  Statement insert = TRY(database_->prepare(R"sql(
INSERT INTO entries (session, number, kind, created_ms, body)
SELECT ?2, number, kind, created_ms, body FROM entries
WHERE session = ?1 AND number <= ?3 ORDER BY number)sql"));
  insert.text(1, from).text(2, to.session).integer(3, static_cast<std::int64_t>(copy.entries));
  TRY(insert.run());
  return transaction.commit();
}

Result<void> SqliteStore::take_post(std::string_view id) {
  Statement take =
      TRY(database_->prepare("UPDATE posts SET taken = 1, body = x'' WHERE id = ?1 AND taken = 0"));
  TRY(take.text(1, id).run());
  if (database_->changes() == 1) return {};
  return Error{.code = Code::conflict,
               .message = "what was posted is in the conversation already",
               .type = "already_taken"};
}

Result<std::uint64_t> SqliteStore::append_entries(std::string_view session,
                                                  std::span<const Entry> entries,
                                                  const Spent& spent, Keep keep) {
  for (const Entry& entry : entries) TRY(check_size(entry.body.size()));
  Transaction transaction = TRY(Transaction::begin(
      *database_, keep == Keep::power_loss ? promised_ : Durability::process_death));
  std::int64_t last = 0;
  {
    Statement query =
        TRY(database_->prepare("SELECT entries FROM conversations WHERE session = ?1"));
    if (!TRY(query.text(1, session).step())) return unknown_session(session);
    last = query.integer_at(0);
  }
  Statement insert = TRY(database_->prepare(
      "INSERT INTO entries (session, number, kind, created_ms, body) VALUES (?1, ?2, ?3, ?4, ?5)"));
  for (const Entry& entry : entries) {
    if (!entry.post.empty()) TRY(take_post(entry.post));
    insert.text(1, session).integer(2, ++last).text(3, entry.kind);
    TRY(insert.integer(4, entry.created_ms).blob(5, entry.body).run());
    insert.again();
  }
  Statement update = TRY(database_->prepare(R"sql(
UPDATE conversations SET entries = ?2, changed_ms = max(changed_ms, ?3), input = input + ?4,
  output = output + ?5, cache_read = cache_read + ?6, cache_write = cache_write + ?7,
  micro_dollars = micro_dollars + ?8
WHERE session = ?1)sql"));
  update.text(1, session).integer(2, last).integer(3, clock_.unix_ms()).integer(4, spent.input);
  update.integer(5, spent.output).integer(6, spent.cache_read).integer(7, spent.cache_write);
  TRY(update.integer(8, spent.micro_dollars).run());
  TRY(transaction.commit());
  return static_cast<std::uint64_t>(last);
}

Result<void> SqliteStore::collect_spent(std::string_view session) {
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  TRY(collect_below(session));
  return transaction.commit();
}

// What one has not passed on goes all the way up to `session`.
Result<void> SqliteStore::collect_below(std::string_view session) {
  std::vector<std::string> found;
  {
    Statement query = TRY(database_->prepare(R"sql(
WITH RECURSIVE below (session) AS (
  SELECT session FROM conversations WHERE parent = ?1 AND parent <> ''
  UNION
  SELECT c.session FROM below JOIN conversations AS c ON c.parent = below.session AND c.parent <> ''
  LIMIT ?2)
SELECT session FROM below JOIN conversations USING (session)
WHERE (input, output, cache_read, cache_write, micro_dollars) IS NOT
  (passed_input, passed_output, passed_cache_read, passed_cache_write, passed_micro_dollars))sql"));
    query.text(1, session).integer(2, static_cast<std::int64_t>(kMaxConversations));
    while (TRY(query.step())) found.push_back(query.bytes_at(0));
  }
  for (std::string& each : found)
    while (!each.empty() && each != session) each = TRY(pass_on_spent(each));
  return {};
}

Result<std::string> SqliteStore::pass_on_spent(std::string_view session) {
  std::string parent;
  {
    Statement give = TRY(database_->prepare(R"sql(
UPDATE conversations AS above SET changed_ms = max(above.changed_ms, ?2),
  input = above.input + below.input - below.passed_input,
  output = above.output + below.output - below.passed_output,
  cache_read = above.cache_read + below.cache_read - below.passed_cache_read,
  cache_write = above.cache_write + below.cache_write - below.passed_cache_write,
  micro_dollars = above.micro_dollars + below.micro_dollars - below.passed_micro_dollars
FROM conversations AS below
WHERE below.session = ?1 AND above.session = below.parent
RETURNING session)sql"));
    give.text(1, session).integer(2, clock_.unix_ms());
    while (TRY(give.step())) parent = give.bytes_at(0);
  }
  Statement mark = TRY(database_->prepare(R"sql(
UPDATE conversations SET passed_input = input, passed_output = output,
  passed_cache_read = cache_read, passed_cache_write = cache_write,
  passed_micro_dollars = micro_dollars
WHERE session = ?1)sql"));
  TRY(mark.text(1, session).run());
  return parent;
}

Result<std::vector<Entry>> SqliteStore::entries(std::string_view session, std::uint64_t after,
                                                size_t limit) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT number, kind, created_ms, body FROM entries
WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3)sql"));
  query.text(1, session).integer(2, static_cast<std::int64_t>(after));
  query.integer(3, static_cast<std::int64_t>(std::min(limit, kMaxEntriesRead)));
  std::vector<Entry> found;
  while (TRY(query.step())) found.push_back(entry_at(query));
  return found;
}

Result<std::optional<Entry>> SqliteStore::last_entry(std::string_view session,
                                                     std::string_view kind) {
  Statement query = TRY(database_->prepare(R"sql(
SELECT number, kind, created_ms, body FROM entries
WHERE session = ?1 AND kind = ?2 ORDER BY number DESC LIMIT 1)sql"));
  if (!TRY(query.text(1, session).text(2, kind).step())) return std::nullopt;
  return entry_at(query);
}

Result<std::uint64_t> SqliteStore::count_entries(std::string_view session, std::string_view kind) {
  Statement query =
      TRY(database_->prepare("SELECT count(*) FROM entries WHERE session = ?1 AND kind = ?2"));
  if (!TRY(query.text(1, session).text(2, kind).step())) return std::uint64_t{0};
  return static_cast<std::uint64_t>(query.integer_at(0));
}

Result<bool> SqliteStore::post(const Post& post) {
  TRY(check_size(post.body.size()));
  Transaction transaction = TRY(Transaction::begin(*database_, promised_));
  (void)TRY(conversation(post.session));
  Statement count =
      TRY(database_->prepare("SELECT count(*) FROM posts WHERE session = ?1 AND taken = 0"));
  if (!TRY(count.text(1, post.session).step()) ||
      count.integer_at(0) >= static_cast<std::int64_t>(kMaxPosts))
    return Error{.code = Code::unavailable,
                 .message = fmt::format("{} messages wait for the session already", kMaxPosts),
                 .hint = "let it answer some of them first",
                 .type = "inbox_full"};
  count.again();
  Statement insert = TRY(database_->prepare(R"sql(
INSERT INTO posts (id, session, sender, posted_ms, taken, body) VALUES (?1, ?2, ?3, ?4, 0, ?5)
ON CONFLICT (id) DO NOTHING)sql"));
  insert.text(1, cut_utf8(post.id, kMaxName)).text(2, post.session);
  insert.text(3, cut_utf8(post.sender, kMaxName)).integer(4, post.posted_ms).blob(5, post.body);
  TRY(insert.run());
  const bool is_new = database_->changes() == 1;
  TRY(transaction.commit());
  return is_new;
}

Result<std::vector<Post>> SqliteStore::posts(std::string_view session) {
  Statement query = TRY(database_->prepare(
      "SELECT id, session, sender, posted_ms, body FROM posts WHERE session = ?1 AND taken = 0 "
      "ORDER BY key"));
  query.text(1, session);
  std::vector<Post> found;
  while (TRY(query.step()))
    found.push_back({.id = query.bytes_at(0),
                     .session = query.bytes_at(1),
                     .sender = query.bytes_at(2),
                     .body = query.bytes_at(4),
                     .posted_ms = query.integer_at(3)});
  return found;
}

Result<std::vector<std::string>> SqliteStore::sessions_with_posts() {
  Statement query = TRY(
      database_->prepare("SELECT DISTINCT session FROM posts WHERE taken = 0 ORDER BY session"));
  std::vector<std::string> sessions;
  while (TRY(query.step())) sessions.push_back(query.bytes_at(0));
  return sessions;
}

Result<bool> SqliteStore::claim_conversation(std::string_view session) {
  if (process_.empty()) process_ = sys::process_identity();
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  {
    Statement query =
        TRY(database_->prepare("SELECT process FROM conversations WHERE session = ?1"));
    if (!TRY(query.text(1, session).step())) return unknown_session(session);
    const std::string worker = query.bytes_at(0);
    if (worker != process_ && works(worker)) return false;
  }
  Statement update =
      TRY(database_->prepare("UPDATE conversations SET process = ?2 WHERE session = ?1"));
  TRY(update.text(1, session).text(2, process_).run());
  TRY(transaction.commit());
  return true;
}

Result<void> SqliteStore::release_conversation(std::string_view session) {
  if (process_.empty()) process_ = sys::process_identity();
  Transaction transaction = TRY(Transaction::begin(*database_, Durability::process_death));
  Statement update = TRY(database_->prepare(
      "UPDATE conversations SET process = '' WHERE session = ?1 AND process = ?2"));
  TRY(update.text(1, session).text(2, process_).run());
  return transaction.commit();
}

Result<std::vector<Conversation>> SqliteStore::left_behind(std::string_view parent) {
  // The second condition lets the index be used.
  Statement query = TRY(database_->prepare(R"sql(
SELECT session, title, agent, workspace, purpose, parent, created_ms, changed_ms, entries,
       input, output, cache_read, cache_write, micro_dollars, process
FROM conversations
WHERE parent = ?1 AND parent <> '' AND (process <> '' OR entries = 0)
ORDER BY session LIMIT ?2)sql"));
  query.text(1, parent).integer(2, static_cast<std::int64_t>(kMaxConversations));
  std::vector<Conversation> found;
  while (TRY(query.step())) {
    if (Conversation each = conversation_at(query); !each.is_at_work)
      found.push_back(std::move(each));
  }
  return found;
}

}  // namespace helve::store
