// Database: SQLite as this module uses it: one connection, cached statements, transactions, errors
// in words. Only the files sqlite_*.cc include SQLite's own header.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "sys/private_file.h"
#include "tool/long_text.h"

struct sqlite3;
struct sqlite3_stmt;

namespace helve::store {

class Database;

// A cached statement, borrowed for one execution: bind, step, read columns. It lets go of
// everything when it ends.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  ~Statement();

  // Parameters from 1. The bytes are not copied: they must live until the statement ends.
  Statement& text(int parameter, std::string_view value);
  Statement& blob(int parameter, std::string_view value);
  Statement& zeros(int parameter, std::uint64_t bytes);  // as a blob that is to be filled
  Statement& integer(int parameter, std::int64_t value);

  Result<bool> step();  // true: there is a row
  Result<void> run();   // to the end, rows ignored
  void again();         // ready for other values

  // Columns from 0.
  std::int64_t integer_at(int column) const;
  std::string bytes_at(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}
  void check(int code);

  Database* database_;
  sqlite3_stmt* statement_;
  int bind_code_ = 0;  // the first failure to bind, told by step()
};

// How much of what is acknowledged survives.
enum class Durability : unsigned char { process_death, power_loss };

// One thread at a time.
class Database {
 public:
  // Opens an existing file; an empty one counts as a new database.
  static Result<std::unique_ptr<Database>> open(const std::string& path,
                                                std::chrono::milliseconds busy_timeout);
  ~Database();
  Database(const Database&) = delete;

  // One or more statements without parameters and without an answer.
  Result<void> execute(const char* sql);
  // `sql` must be a literal: its address lives on in the cache.
  Result<Statement> prepare(std::string_view sql);
  Result<std::int64_t> integer(
      std::string_view sql);      // the answer of a query that gives one number
  std::uint64_t changes() const;  // rows of the latest insert, update or delete
  // Fills a blob, which must be as long as the text.
  struct Cell {
    const char* table;
    const char* column;
    std::int64_t row;
  };
  Result<void> fill(const Cell& cell, const LongText& text);
  // A blob in pieces, as long as `take` wants more.
  Result<void> read(const Cell& cell, const LongText::Take& take);

  // Write-ahead logging, where the file system can: readers and the writer do not wait for each
  // other.
  Result<void> use_write_ahead_log();
  // Copies the log into the file, as far as that goes without waiting for others.
  void copy_log();

  // Until when the following operations may wait for others, all together. Without it each waits
  // the busy timeout.
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    deadline_ = deadline;
  }

  const std::string& path() const { return path_; }
  // What SQLite's code means here, with the file's name and the next step.
  Error error(int code) const;

 private:
  friend class Transaction;
  Database(std::string path, std::chrono::milliseconds busy_timeout)
      : path_(std::move(path)), busy_timeout_(busy_timeout) {}
  Result<void> set_durability(Durability durability);
  Result<void> check_in_place();
  bool is_in_place() const;
  bool has_moved() const;  // the file itself
  Result<void> rescue_log();
  static int wait_for_others(void* database, int attempts);
  static int see_log_grow(void* database, sqlite3* connection, const char* name, int pages);

  std::string path_;
  std::chrono::milliseconds busy_timeout_;
  sqlite3* connection_ = nullptr;
  std::unordered_map<std::string_view, sqlite3_stmt*> statements_;
  bool write_ahead_ = false;
  sys::FileIdentity log_;    // the -wal file that this connection writes
  sys::FileIdentity index_;  // and its -shm file
  int log_pages_ = 0;        // after the latest commit of this connection
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::chrono::steady_clock::time_point wait_end_;  // of the wait under way, without a deadline
  Durability durability_ = Durability::power_loss;
};

// A write transaction. What is not committed when it ends is rolled back.
class Transaction {
 public:
  // Waits for other writers up to the busy timeout.
  static Result<Transaction> begin(Database& database, Durability durability);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace helve::store
