#include "store/sqlite_migrations.h"

#include <fmt/core.h>

#include <array>

#include "base/text.h"

namespace helve::store {
namespace {

// Ids and other short words are TEXT so that people can query them; free text is BLOB, which keeps
// every byte.
//
// calls has one tree and no index but that of the running calls: reads are written by the ten
// thousand, and each index costs a third of a write. At most Retention::calls rows make a scan for
// one session cheap enough. For the same reason its session is no foreign key.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE sessions (
  id          TEXT PRIMARY KEY NOT NULL,
  agent       TEXT NOT NULL,
  user        TEXT NOT NULL,
  workspace   BLOB NOT NULL,
  created_ms  INTEGER NOT NULL,
  last_result INTEGER NOT NULL DEFAULT 0   -- the highest number given to a stored result
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_age ON sessions (created_ms);

CREATE TABLE calls (
  started_ms   INTEGER NOT NULL,
  id           TEXT NOT NULL,
  session      TEXT NOT NULL,
  agent        TEXT NOT NULL,
  user         TEXT NOT NULL,
  workspace    BLOB NOT NULL,
  caller       TEXT NOT NULL,
  tool         TEXT NOT NULL,
  arguments    BLOB NOT NULL,
  effect       TEXT NOT NULL,
  duration_us  INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  message      BLOB NOT NULL,
  output_bytes INTEGER NOT NULL,
  process      TEXT NOT NULL,              -- who runs it; empty when it has ended
  PRIMARY KEY (started_ms, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_running ON calls (process) WHERE outcome = 'running';

CREATE TABLE results (
  key        INTEGER PRIMARY KEY,
  session    TEXT NOT NULL REFERENCES sessions (id),
  number     INTEGER NOT NULL,
  tool       TEXT NOT NULL,
  chars      INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  text       BLOB NOT NULL,
  UNIQUE (session, number)
) STRICT;
CREATE INDEX results_by_age ON results (created_ms, bytes);

CREATE TABLE chores (
  name       TEXT PRIMARY KEY NOT NULL,
  claimed_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// A page of a stored result is found without reading the others. A result of before has its whole
// text in its own row, and no pages.
constexpr const char* kVersion2 = R"sql(
CREATE TABLE result_pages (
  result INTEGER NOT NULL REFERENCES results (key) ON DELETE CASCADE,
  page   INTEGER NOT NULL,                 -- from 1
  text   BLOB NOT NULL,
  PRIMARY KEY (result, page)
) STRICT;
)sql";

// Who called is written once, not with every call: it was half of each row. call_log shows both
// together.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE identities (
  key       INTEGER PRIMARY KEY,
  session   TEXT NOT NULL,
  agent     TEXT NOT NULL,
  user      TEXT NOT NULL,
  workspace BLOB NOT NULL,
  UNIQUE (session, agent, user, workspace)
) STRICT;
INSERT INTO identities (session, agent, user, workspace)
SELECT DISTINCT session, agent, user, workspace FROM calls;

CREATE TABLE slim_calls (
  started_ms   INTEGER NOT NULL,
  id           TEXT NOT NULL,
  who          INTEGER NOT NULL,
  caller       TEXT NOT NULL,
  tool         TEXT NOT NULL,
  arguments    BLOB NOT NULL,
  effect       TEXT NOT NULL,
  duration_us  INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  message      BLOB NOT NULL,
  output_bytes INTEGER NOT NULL,
  process      TEXT NOT NULL,              -- who runs it; empty when it has ended
  PRIMARY KEY (started_ms, id)
) STRICT, WITHOUT ROWID;
INSERT INTO slim_calls
SELECT started_ms, id, key, caller, tool, arguments, effect, duration_us, outcome, message,
       output_bytes, process
FROM calls JOIN identities USING (session, agent, user, workspace);
DROP TABLE calls;
ALTER TABLE slim_calls RENAME TO calls;
CREATE INDEX calls_running ON calls (process) WHERE outcome = 'running';

CREATE VIEW call_log AS
SELECT started_ms, id, session, agent, user, workspace, caller, tool, arguments, effect,
       duration_us, outcome, message, output_bytes, process
FROM calls JOIN identities ON key = who;
)sql";

// Who decided that a call may run, where somebody or some rule had to.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE calls ADD COLUMN decided TEXT NOT NULL DEFAULT '';
DROP VIEW call_log;
CREATE VIEW call_log AS
SELECT started_ms, id, session, agent, user, workspace, caller, tool, arguments, effect,
       duration_us, outcome, message, output_bytes, process, decided
FROM calls JOIN identities ON key = who;
)sql";

// Commands in the background, so that a session that is taken up again knows what became of them.
constexpr const char* kVersion5 = R"sql(
CREATE TABLE jobs (
  key          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  session      TEXT NOT NULL,
  command      BLOB NOT NULL,
  directory    BLOB NOT NULL,
  process      TEXT NOT NULL,              -- who runs it, and then who tells its end
  state        TEXT NOT NULL,
  started_ms   INTEGER NOT NULL,
  ended_ms     INTEGER NOT NULL,
  how          TEXT NOT NULL,
  exit_code    INTEGER NOT NULL,
  signal       TEXT NOT NULL,
  timed_out    INTEGER NOT NULL,
  told         INTEGER NOT NULL,           -- 1: its session knows that it has ended
  output_bytes INTEGER NOT NULL,
  output       BLOB NOT NULL               -- the end of it
) STRICT;
CREATE INDEX jobs_by_session ON jobs (session, key);
CREATE INDEX jobs_running ON jobs (process) WHERE state = 'running';
CREATE INDEX jobs_ended ON jobs (key, started_ms) WHERE state <> 'running';
)sql";

// Conversations with models. A post that was taken out of the inbox leaves its id, so that it is
// not taken for a new one when it is posted again.
constexpr const char* kVersion6 = R"sql(
CREATE TABLE conversations (
  session       TEXT PRIMARY KEY NOT NULL,
  title         BLOB NOT NULL,
  agent         TEXT NOT NULL,
  workspace     BLOB NOT NULL,
  purpose       TEXT NOT NULL,
  parent        TEXT NOT NULL,
  created_ms    INTEGER NOT NULL,
  changed_ms    INTEGER NOT NULL,
  entries       INTEGER NOT NULL,          -- the number of the last one
  input         INTEGER NOT NULL,          -- tokens
  output        INTEGER NOT NULL,
  cache_read    INTEGER NOT NULL,
  cache_write   INTEGER NOT NULL,
  micro_dollars INTEGER NOT NULL,
  process       TEXT NOT NULL              -- who works on it; empty: nobody
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_change ON conversations (changed_ms);
CREATE INDEX conversations_by_parent ON conversations (parent) WHERE parent <> '';

CREATE TABLE entries (
  key        INTEGER PRIMARY KEY,
  session    TEXT NOT NULL,
  number     INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  body       BLOB NOT NULL,
  UNIQUE (session, number)
) STRICT;

CREATE TABLE posts (
  key       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  session   TEXT NOT NULL,
  sender    TEXT NOT NULL,
  posted_ms INTEGER NOT NULL,
  taken     INTEGER NOT NULL,              -- 1: only its id is left
  body      BLOB NOT NULL
) STRICT;
CREATE INDEX posts_waiting ON posts (session, key) WHERE taken = 0;
)sql";

// Documents in versions. The numbers of changes are never used twice, so that who has seen one
// knows what came after it. Contents lie apart: most questions are about the rest.
constexpr const char* kVersion7 = R"sql(
CREATE TABLE shelves (
  key       INTEGER PRIMARY KEY,
  name      BLOB NOT NULL UNIQUE,
  documents INTEGER NOT NULL,
  forgets   INTEGER NOT NULL               -- how often versions were forgotten
) STRICT;

CREATE TABLE documents (
  key    INTEGER PRIMARY KEY,
  shelf  INTEGER NOT NULL REFERENCES shelves (key),
  path   TEXT NOT NULL,
  latest INTEGER NOT NULL,                 -- its change
  number INTEGER NOT NULL,
  UNIQUE (shelf, path)
) STRICT;

CREATE TABLE document_versions (
  change       INTEGER PRIMARY KEY AUTOINCREMENT,
  document     INTEGER NOT NULL REFERENCES documents (key),
  number       INTEGER NOT NULL,           -- from 1
  mime_type    TEXT NOT NULL,
  source       TEXT NOT NULL,
  source_from  BLOB NOT NULL,
  source_ms    INTEGER NOT NULL,
  source_hash  TEXT NOT NULL,
  note         BLOB NOT NULL,
  agent        TEXT NOT NULL,
  session      TEXT NOT NULL,
  created_ms   INTEGER NOT NULL,
  removed      INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  lines        INTEGER NOT NULL,
  hash         TEXT NOT NULL,
  UNIQUE (document, number)
) STRICT;

CREATE TABLE document_contents (
  version INTEGER PRIMARY KEY REFERENCES document_versions (change),
  content BLOB NOT NULL
) STRICT;

CREATE VIEW document_log AS
SELECT path, v.number AS number, mime_type, source, source_from, source_ms, source_hash, note, agent,
       session, created_ms, removed, bytes, lines, hash, change, latest, shelf, d.key AS document,
       d.number AS last
FROM documents AS d JOIN document_versions AS v ON v.document = d.key;
)sql";

// How the model of a conversation was chosen, so that it is taken up with the same one.
constexpr const char* kVersion8 = R"sql(
ALTER TABLE conversations ADD COLUMN model BLOB NOT NULL DEFAULT x'';
)sql";

// Of what a conversation has spent, the part that counts for its parent already. Before, it was
// added to the parent when a sub-agent ended in good order.
constexpr const char* kVersion9 = R"sql(
ALTER TABLE conversations ADD COLUMN passed_input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN passed_output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN passed_cache_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN passed_cache_write INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN passed_micro_dollars INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET passed_input = input, passed_output = output,
  passed_cache_read = cache_read, passed_cache_write = cache_write,
  passed_micro_dollars = micro_dollars;
)sql";

constexpr std::array kMigrations{kVersion1, kVersion2, kVersion3, kVersion4, kVersion5,
                                 kVersion6, kVersion7, kVersion8, kVersion9};

enum class Kind { empty, ours, foreign };
struct Found {
  Kind kind = Kind::empty;
  std::int64_t version = 0;
};

Result<Found> look_at_tables(Database& database) {
  const std::int64_t application = TRY(database.integer("PRAGMA application_id"));
  const std::int64_t version = TRY(database.integer("PRAGMA user_version"));
  if (application == kApplicationId && version > 0) return Found{Kind::ours, version};
  const std::int64_t tables = TRY(database.integer("SELECT count(*) FROM sqlite_schema"));
  const bool empty = application == 0 && version == 0 && tables == 0;
  return Found{empty ? Kind::empty : Kind::foreign, version};
}

// In one read transaction: another process may be migrating this very moment.
Result<Found> look_at(Database& database) {
  TRY(database.execute("BEGIN"));
  Result<Found> found = look_at_tables(database);
  Result<void> ended = database.execute("ROLLBACK");
  if (found && !ended) return std::move(ended).error();
  return found;
}

Result<void> check(const Database& database, const Found& found, size_t latest) {
  const std::string name = escape_for_display(database.path());
  if (found.kind == Kind::foreign) {
    return Error{.code = Code::unsupported,
                 .message = fmt::format("'{}' is a database of another program", name),
                 .hint = "move it away, or choose another state directory",
                 .type = "foreign_database"};
  }
  if (found.version > static_cast<std::int64_t>(latest)) {
    return Error{
        .code = Code::unsupported,
        .message = fmt::format("'{}' has version {}, and this program knows versions up to {}",
                               name, found.version, latest),
        .hint = "use the newer program that wrote it, or choose another state directory",
        .type = "newer_database"};
  }
  return {};
}

// Takes one step, or none when another process was faster. Returns the version that the database
// has then.
Result<std::int64_t> take_step(Database& database, std::span<const char* const> steps) {
  Transaction transaction = TRY(Transaction::begin(database, Durability::power_loss));
  const Found found = TRY(look_at_tables(database));
  TRY(check(database, found, steps.size()));
  const auto next = static_cast<size_t>(found.version);
  if (next == steps.size()) return found.version;
  TRY(database.execute(steps[next]));
  TRY(database.execute(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, next + 1)
          .c_str()));
  TRY(transaction.commit());
  return found.version + 1;
}

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

Result<void> migrate(Database& database, std::span<const char* const> steps) {
  const Found found = TRY(look_at(database));
  TRY(check(database, found, steps.size()));
  TRY(database.use_write_ahead_log());
  std::int64_t version = found.version;
  if (version == static_cast<std::int64_t>(steps.size())) return {};
  while (version < static_cast<std::int64_t>(steps.size()))
    version = TRY(take_step(database, steps));
  // So that the tables do not depend on the log.
  database.copy_log();
  return {};
}

}  // namespace helve::store
