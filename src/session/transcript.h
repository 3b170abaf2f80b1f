// Transcript: a session as the model sees it, over what the store keeps of it. Nothing is ever
// changed there, only added: when the window fills, the model is shown less, and people still find
// everything.
//
// Thread rule: one thread at a time, and one process (Store::claim_conversation).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "session/item.h"
#include "store/shared_store.h"

namespace helve::session {

// What goes with an item.
struct Along {
  std::string post = {};  // what it takes out of the inbox
  store::Spent spent = {};
  store::Keep keep = store::Keep::process_death;
  // How long others that write are waited for; nothing: as long as the store does by itself.
  std::optional<std::chrono::milliseconds> longest = {};
};

class Transcript {
 public:
  // Reads it; a call that has no result gets one that says what is known about it. Borrows all.
  static Result<Transcript> open(store::SharedStore& store, const sys::Clock& clock,
                                 std::string session);
  // Reads it as it is, for those who only look: another process may be at work on it.
  static Result<Transcript> peek(store::SharedStore& store, const sys::Clock& clock,
                                 std::string session);

  const std::string& session() const { return session_; }
  std::span<const model::Message> context() const { return context_; }
  // Whether the first message stands for an earlier part.
  bool begins_with_summary() const { return begins_with_summary_; }
  // Of the context: as the provider counted it, and an estimate of what came since.
  std::int64_t tokens() const { return counted_ + estimated_; }
  // What the provider counted last, with system prompt and tools; 0: nothing yet.
  std::int64_t counted() const { return counted_; }
  std::uint64_t entries() const { return entries_; }
  std::int64_t now_ms() const;

  // The calls of the last answer that have no result yet.
  struct OpenCall {
    model::ToolCall call;
    std::string id;  // by which the dispatcher knows it
  };
  std::vector<OpenCall> open_calls() const;
  // What open() has found missing, and added.
  std::span<const model::ToolResult> repaired() const { return repaired_; }
  // Whether the model has yet to answer.
  bool is_unanswered() const;

  // It is kept when this returns; after an error nothing has changed.
  Result<void> add(Item item, const Along& along = {});
  // The same for several at once: all of them, or none.
  Result<void> add_all(std::vector<Item> items);
  // What was spent for it without an item.
  Result<void> charge(const store::Spent& spent);
  Result<std::vector<store::Post>> inbox();

  // Providers want each id once in a request, whatever a model made up.
  void make_ids_unique(model::Message& answer);

  // One message of the context, and the number of the entry that it ends with.
  struct Shown {
    std::uint64_t number;
    const model::Message& message;
  };
  Shown shown(size_t index) const { return {numbers_[index], context_[index]}; }

 private:
  struct Awaited {
    OpenCall open;
    std::optional<model::ToolResult> result;
  };
  Transcript(store::SharedStore& store, const sys::Clock& clock, std::string session)
      : store_(&store), clock_(&clock), session_(std::move(session)) {}

  Result<void> load();
  Result<void> repair();
  void apply(Item item, std::uint64_t number);
  void show(model::Message message, std::uint64_t number);
  void show_results(std::uint64_t number);
  std::int64_t estimate() const;
  std::int64_t others() const;
  void count_anew(std::int64_t others);
  void summarise(const Summary& summary);
  void prune(const Pruned& pruned);

  store::SharedStore* store_;
  const sys::Clock* clock_;
  std::string session_;
  std::uint64_t entries_ = 0;
  std::vector<model::Message> context_;
  std::vector<std::uint64_t> numbers_;  // as long as context_
  std::vector<Awaited> awaited_;        // the calls of the last answer, while one has no result
  std::multimap<std::string, size_t, std::less<>> awaited_at_;  // by the id of the call
  size_t open_ = 0;                                             // how many have none
  std::vector<model::ToolResult> repaired_;
  std::set<std::string, std::less<>> call_ids_;
  std::int64_t counted_ = 0, estimated_ = 0;
  std::uint64_t counts_from_ = 0;  // the entry after which what a provider counted is right
  bool begins_with_summary_ = false;
};

// Roughly, where no provider has counted.
std::int64_t estimate_tokens(const model::Message& message);
std::int64_t estimate_tokens(std::string_view text);

// What a model is shown in place of what a summary stands for.
model::Message message_of(const Summary& summary);

model::ToolResult error_result(const model::ToolCall& call, const Error& error);

}  // namespace helve::session
