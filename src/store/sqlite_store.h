// The SQLite engine: the store in one file, in write-ahead mode, beside its -wal and -shm files.
#pragma once

#include <memory>
#include <string>

#include "store/opener.h"
#include "store/sqlite_database.h"

namespace helve::store {

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, const Options& options,
                                           const sys::Clock& clock, Deadline deadline);

constexpr size_t kMaxShownId = 80;  // characters, in messages

class SqliteStore final : public Store {
 public:
  SqliteStore(std::unique_ptr<Database> database, const Options& options, const sys::Clock& clock)
      : database_(std::move(database)),
        result_bytes_(options.result_bytes),
        promised_(options.sync ? Durability::power_loss : Durability::process_death),
        clock_(clock) {}

  void set_deadline(std::chrono::steady_clock::time_point deadline) override {
    database_->set_deadline(deadline);
  }
  Result<int> version() override;

  Result<void> ensure_session(const SessionRecord& session) override;
  Result<SessionRecord> session(std::string_view id) override;
  Result<std::vector<SessionRecord>> sessions(size_t limit) override;

  Result<void> begin_call(const CallRecord& call) override;
  Result<void> finish_call(const CallRecord& call) override;
  Result<void> add_calls(std::span<const CallRecord> calls) override;
  Result<std::vector<CallRecord>> calls(const CallFilter& filter) override;
  Result<std::uint64_t> mark_lost(std::int64_t unknown_before_ms) override;

  Result<void> begin_job(const JobRecord& job) override;
  Result<void> end_job(const JobRecord& job) override;
  Result<std::vector<JobRecord>> jobs(std::string_view session) override;
  Result<std::string> job_output(std::string_view session, std::string_view id) override;
  Result<std::vector<std::string>> claim_telling(std::span<const std::string> ids) override;
  Result<void> release_telling(std::span<const std::string> ids) override;
  Result<void> mark_told(std::span<const std::string> ids) override;
  Result<std::uint64_t> mark_lost_jobs(std::int64_t unknown_before_ms) override;

  Result<Results::Stored> keep_result(std::string_view session, std::string_view tool,
                                      Effect effect, std::string_view text) override;
  Result<std::string> result_text(std::string_view session, std::string_view id) override;
  Result<Results::Page> result_page(std::string_view session, std::string_view id,
                                    std::uint64_t page) override;
  Result<std::vector<Results::Stored>> results(std::string_view session) override;

  Result<void> begin_conversation(const Conversation& conversation) override;
  Result<Conversation> conversation(std::string_view session) override;
  Result<std::vector<Conversation>> conversations(const ConversationFilter& filter) override;
  Result<void> rename_conversation(std::string_view session, std::string_view title) override;
  Result<void> set_conversation_model(std::string_view session, std::string_view model) override;
  Result<void> remove_conversation(std::string_view session) override;
  Result<void> copy_conversation(std::string_view from, std::uint64_t last,
                                 const Conversation& to) override;
  Result<std::uint64_t> append_entries(std::string_view session, std::span<const Entry> entries,
                                       const Spent& spent, Keep keep) override;
  Result<void> collect_spent(std::string_view session) override;
  Result<std::vector<Entry>> entries(std::string_view session, std::uint64_t after,
                                     size_t limit) override;
  Result<std::optional<Entry>> last_entry(std::string_view session, std::string_view kind) override;
  Result<std::uint64_t> count_entries(std::string_view session, std::string_view kind) override;
  Result<bool> post(const Post& post) override;
  Result<std::vector<Post>> posts(std::string_view session) override;
  Result<std::vector<std::string>> sessions_with_posts() override;
  Result<std::vector<Conversation>> left_behind(std::string_view parent) override;
  Result<bool> claim_conversation(std::string_view session) override;
  Result<void> release_conversation(std::string_view session) override;

  std::unique_ptr<Documents> documents(std::string shelf) override;

  Result<Pruned> prune(const Retention& retention) override;
  Result<bool> claim_chore(std::string_view name, std::chrono::milliseconds period) override;

 private:
  static Result<void> check_session_id(std::string_view id);
  // These run inside a transaction of the caller.
  Result<void> write_session(const Identity& who, std::int64_t created_ms);
  Result<std::int64_t> write_identity(const Identity& who, std::int64_t created_ms);  // its key
  Result<std::uint64_t> prune_calls(std::int64_t before_ms, std::uint64_t keep);
  Result<std::uint64_t> prune_results(std::int64_t before_ms, std::uint64_t keep_bytes);
  Result<std::uint64_t> prune_jobs(std::int64_t before_ms, std::uint64_t keep);
  Result<void> make_room(std::uint64_t bytes);
  Result<void> write_pages(std::int64_t result, std::string_view text);
  Result<void> prune_posts(std::int64_t before_ms);
  Result<void> prune_identities();
  Result<std::uint64_t> prune_sessions(std::int64_t before_ms);

  Result<void> write_conversation(const Conversation& conversation);
  Result<void> take_post(std::string_view id);
  Result<void> collect_below(std::string_view session);
  Result<std::string> pass_on_spent(std::string_view session);  // to its parent: who that is

  Error unknown_result(std::string_view session, std::string_view id);

  std::unique_ptr<Database> database_;
  std::uint64_t result_bytes_;
  Durability promised_;  // of what a model was told, or is about to be done
  const sys::Clock& clock_;
  std::string process_;  // our identity, looked up when the first call or job begins
};

}  // namespace helve::store
