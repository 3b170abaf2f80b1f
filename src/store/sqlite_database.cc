#include "store/sqlite_database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "store/store.h"

namespace helve::store {
namespace {

constexpr size_t kReadAtOnce = 256u << 10;  // bytes of a blob
constexpr int kCacheKilobytes = 128;        // of pages, per connection
constexpr int kWriteAheadKilobytes = 4096;  // what a -wal file is cut back to after a large write
// The first process to open the database reads the log that the last one left: half a thousand
// pages cost every command 3 ms. To copy them takes about as long, but is due only now and then.
constexpr int kMaxLogPages = 1000;                       // while it is open
constexpr int kMaxLogPagesLeft = 128;                    // when it is closed
constexpr std::chrono::milliseconds kRetryPause{2};      // the first, for the lock of another
constexpr std::chrono::milliseconds kMaxRetryPause{50};  // they double up to this

// SQLite takes a file of one byte for an empty one and would overwrite it.
bool holds_one_byte(sqlite3* connection) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  char start[2] = {};
  const int code =
      file && file->pMethods ? file->pMethods->xRead(file, start, sizeof start, 0) : SQLITE_OK;
  return code == SQLITE_IOERR_SHORT_READ && start[0] != 0;
}

// What the system said last about a file, or 0.
int last_number(sqlite3* connection, int pointer) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(connection, "main", pointer, static_cast<void*>(&file));
  int number = 0;
  if (file && file->pMethods) file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

// SQLite calls a file damaged also when the disk did not give it, which need not last. The number
// that tells the two apart; 0 when the file is read well.
int read_failure(sqlite3* connection) {
  for (const int pointer : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    const int number = last_number(connection, pointer);
    if (number == EIO || number == ENXIO || number == ERANGE) return number;
  }
  return 0;
}

// How one of SQLite's codes is told.
struct Words {
  Code code = Code::internal;
  std::string reason;
  std::string_view hint = {};
  std::string_view type = {};
};

Words words_for(int code, int number, const char* detail, std::chrono::milliseconds busy_timeout) {
  // Where SQLite was about to extend its shared memory, a full disk is an input/output error.
  if (code == SQLITE_IOERR && number == ENOSPC) code = SQLITE_FULL;
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // others were faster to the log's index, again and again
      return {Code::unavailable,
              fmt::format("another process holds its lock, and it was not free within {} ms",
                          busy_timeout.count()),
              "try again, or end the process that holds it (fuser names it)", kBusy};
    case SQLITE_FULL:
      return {Code::unavailable, "no space left on the device",
              "free some space and try again; nothing of this write was kept", "no_space"};
    case SQLITE_NOTADB:
      return {Code::unsupported, "it is not a database", "move it away, and a new one is created",
              "not_a_database"};
    case SQLITE_CORRUPT:
      return {Code::unsupported, fmt::format("it is damaged: {}", detail),
              "move it and its -wal file away, and a new one is created", "corrupt_database"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Code::denied, fmt::format("it cannot be written: {}", detail),
              "check the owner and mode of the file, its -wal and -shm files and their directory",
              "read_only"};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return {number == EACCES ? Code::denied : Code::unavailable,
              number ? std::generic_category().message(number) : detail,
              "check the file, its -wal and -shm files, and the disk", kBroken};
    case SQLITE_NOMEM:
      return {Code::unavailable, "out of memory", "try again later"};
    case SQLITE_TOOBIG:
      return {Code::too_large, "the value is too large"};
    case SQLITE_CONSTRAINT:
      return {Code::conflict, fmt::format("it refuses the row: {}", detail)};
    default:
      return {Code::internal, detail};
  }
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      bind_code_(other.bind_code_) {}

Statement::~Statement() {
  if (!statement_) return;
  again();
  sqlite3_clear_bindings(statement_);
}

void Statement::check(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

Statement& Statement::text(int parameter, std::string_view value) {
  // A null pointer would bind NULL instead of an empty text.
  check(sqlite3_bind_text64(statement_, parameter, value.data() ? value.data() : "", value.size(),
                            SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::blob(int parameter, std::string_view value) {
  check(sqlite3_bind_blob64(statement_, parameter, value.data() ? value.data() : "", value.size(),
                            SQLITE_STATIC));
  return *this;
}

Statement& Statement::zeros(int parameter, std::uint64_t bytes) {
  check(sqlite3_bind_zeroblob64(statement_, parameter, bytes));
  return *this;
}

Statement& Statement::integer(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) return database_->error(bind_code_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->error(code);
}

Result<void> Statement::run() {
  while (TRY(step())) {
  }
  return {};
}

void Statement::again() {
  sqlite3_reset(statement_);
  bind_code_ = SQLITE_OK;
}

std::int64_t Statement::integer_at(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::bytes_at(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data ? std::string(static_cast<const char*>(data), static_cast<size_t>(size))
              : std::string();
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path,
                                                 std::chrono::milliseconds busy_timeout) {
  std::unique_ptr<Database> database(new Database(path, busy_timeout));
  const int code =
      sqlite3_open_v2(path.c_str(), &database->connection_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) return database->error(code);
  if (sqlite3_db_readonly(database->connection_, "main") == 1) {
    return database->error(SQLITE_READONLY);
  }
  if (holds_one_byte(database->connection_)) return database->error(SQLITE_NOTADB);
  sqlite3_busy_handler(database->connection_, wait_for_others, database.get());
  // Otherwise the last one to close would copy the log into the file and wait for the disk several
  // times: a command that makes one small call would take ten times as long. See the limits above.
  sqlite3_db_config(database->connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_wal_hook(database->connection_, see_log_grow, database.get());
  const std::string settings = fmt::format(
      "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY;"
      "PRAGMA synchronous=FULL; PRAGMA cache_size=-{}; PRAGMA journal_size_limit={}",
      kCacheKilobytes, kWriteAheadKilobytes * 1024);
  TRY(database->execute(settings.c_str()));
  return database;
}

Database::~Database() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  if (write_ahead_ && !is_in_place()) {
    [[maybe_unused]] const Result<void> nobody_to_tell = rescue_log();
  } else if (log_pages_ > kMaxLogPagesLeft) {
    // Emptied too: how much of it was copied is not known to the next process. Others who use it
    // prevent that, and then there is no need.
    sqlite3_busy_handler(connection_, nullptr, nullptr);
    sqlite3_wal_checkpoint_v2(connection_, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
  sqlite3_close(connection_);
}

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (!statement) {
    const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return error(code);
  }
  return Statement(*this, statement);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  Statement query = TRY(prepare(sql));
  if (!TRY(query.step())) return error(SQLITE_INTERNAL);
  return query.integer_at(0);
}

std::uint64_t Database::changes() const {
  return static_cast<std::uint64_t>(sqlite3_changes64(connection_));
}

Result<void> Database::fill(const Cell& cell, const LongText& text) {
  sqlite3_blob* blob = nullptr;
  int code = sqlite3_blob_open(connection_, "main", cell.table, cell.column, cell.row, 1, &blob);
  const auto size = static_cast<size_t>(blob ? sqlite3_blob_bytes(blob) : 0);
  size_t done = 0;
  bool fits = true;
  const auto write = [&](std::string_view piece) {
    fits = piece.size() <= size - done;
    if (fits)
      code = sqlite3_blob_write(blob, piece.data(), static_cast<int>(piece.size()),
                                static_cast<int>(done));
    done += piece.size();
    return fits && code == SQLITE_OK;
  };
  if (code == SQLITE_OK) text.read(write);
  const int closed = sqlite3_blob_close(blob);
  if (code == SQLITE_OK) code = closed;
  if (code != SQLITE_OK) return error(code);
  if (fits && done == size) return {};
  return Error{Code::unavailable, "the text is not the one that was measured", "try again"};
}

Result<void> Database::read(const Cell& cell, const LongText::Take& take) {
  sqlite3_blob* blob = nullptr;
  int code = sqlite3_blob_open(connection_, "main", cell.table, cell.column, cell.row, 0, &blob);
  const auto size = static_cast<size_t>(blob ? sqlite3_blob_bytes(blob) : 0);
  std::string piece;
  for (size_t done = 0; code == SQLITE_OK && done < size; done += piece.size()) {
    piece.resize(std::min(size - done, kReadAtOnce));
    code = sqlite3_blob_read(blob, piece.data(), static_cast<int>(piece.size()),
                             static_cast<int>(done));
    if (code == SQLITE_OK && !take(piece)) break;
  }
  const int closed = sqlite3_blob_close(blob);
  if (code == SQLITE_OK) code = closed;
  return code == SQLITE_OK ? Result<void>() : error(code);
}

Result<void> Database::use_write_ahead_log() {
  // SQLite does not wait when the switch itself meets another process, which happens when two
  // create the file at once.
  for (int attempts = 0;; ++attempts) {
    Statement change = TRY(prepare("PRAGMA journal_mode=WAL"));
    const Result<bool> row = change.step();
    if (row) {
      write_ahead_ = change.bytes_at(0) == "wal";
      break;
    }
    if (row.error().type != kBusy || !wait_for_others(this, attempts)) return row.error();
  }
  if (!write_ahead_) return {};
  // Reading opens the log and its index, if nothing has yet.
  TRY(integer("PRAGMA user_version"));
  log_ = sys::identity_of(path_ + "-wal");
  index_ = sys::identity_of(path_ + "-shm");
  return {};
}

// SQLite calls this where it meets a lock, with how often it has called before for the same one.
int Database::wait_for_others(void* database, int attempts) {
  auto& self = *static_cast<Database*>(database);
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) self.wait_end_ = now + self.busy_timeout_;
  const auto end = self.deadline_.value_or(self.wait_end_);
  if (now >= end) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
  const auto pause = std::min(kRetryPause * (1 << std::min(attempts, 5)), kMaxRetryPause);
  sqlite3_sleep(static_cast<int>(std::min(pause, left).count()));
  return 1;
}

// SQLite calls this after a commit.
int Database::see_log_grow(void* database, sqlite3*, const char*, int pages) {
  auto& self = *static_cast<Database*>(database);
  self.log_pages_ = pages;
  if (pages >= kMaxLogPages) self.copy_log();
  return SQLITE_OK;
}

void Database::copy_log() {
  sqlite3_wal_checkpoint_v2(connection_, "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

Result<void> Database::set_durability(Durability durability) {
  // A file system without shared memory has no write-ahead log, and its older journal wants every
  // sync.
  if (!write_ahead_) durability = Durability::power_loss;
  if (durability == durability_) return {};
  TRY(execute(durability == Durability::power_loss ? "PRAGMA synchronous=FULL"
                                                   : "PRAGMA synchronous=NORMAL"));
  durability_ = durability;
  return {};
}

bool Database::has_moved() const {
  int moved = 0;
  sqlite3_file_control(connection_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

bool Database::is_in_place() const {
  if (has_moved()) return false;
  return !write_ahead_ || (sys::identity_of(path_ + "-wal").same_file(log_) &&
                           sys::identity_of(path_ + "-shm").same_file(index_));
}

// A deleted log is still there for those who have it open: what it holds goes into the file. Not
// when somebody has begun another log, whose pages would then not fit the file.
Result<void> Database::rescue_log() {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(connection_, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
  sqlite3_int64 size = 0;
  if (log && log->pMethods) log->pMethods->xFileSize(log, &size);
  const sys::FileIdentity now = sys::identity_of(path_ + "-wal");
  if (has_moved() || size == 0 || (!now.same_file(log_) && now.size > 0)) return {};
  const int code =
      sqlite3_wal_checkpoint_v2(connection_, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

// Without this, writes to a file, or into a log, that was deleted or replaced would be acknowledged
// and lost. Asked in a transaction, so that nobody of the same log is about to leave it.
Result<void> Database::check_in_place() {
  if (is_in_place()) return {};
  TRY(execute("ROLLBACK"));
  TRY(rescue_log());
  return Error{.code = Code::unavailable,
               .message = fmt::format("'{}' was moved or deleted while it was open",
                                      escape_for_display(path_)),
               .hint = "try again: the next use opens the file that is there now",
               .type = std::string(kMoved)};
}

Error Database::error(int code) const {
  int number = connection_ ? sqlite3_system_errno(connection_) : 0;
  const bool latest = connection_ && sqlite3_extended_errcode(connection_) == code;
  if (const int failure = code == SQLITE_CORRUPT && connection_ ? read_failure(connection_) : 0) {
    code = SQLITE_IOERR_READ;
    number = failure;
  }
  const Words words =
      words_for(code & 0xff, number, latest ? sqlite3_errmsg(connection_) : sqlite3_errstr(code),
                busy_timeout_);
  return {.code = words.code,
          .message = fmt::format("cannot use '{}': {}", escape_for_display(path_), words.reason),
          .hint = std::string(words.hint),
          .type = std::string(words.type)};
}

Result<Transaction> Transaction::begin(Database& database, Durability durability) {
  TRY(database.set_durability(durability));
  TRY(TRY(database.prepare("BEGIN IMMEDIATE")).run());
  Transaction transaction(database);
  TRY(database.check_in_place());
  return transaction;
}

Transaction::~Transaction() {
  if (!database_) return;
  // After some failures SQLite has rolled back by itself.
  if (sqlite3_get_autocommit(database_->connection_) == 0) {
    sqlite3_exec(database_->connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Result<void> Transaction::commit() {
  TRY(TRY(database_->prepare("COMMIT")).run());
  database_ = nullptr;
  return {};
}

}  // namespace helve::store
