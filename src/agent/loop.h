// The loop: the model is asked, its calls are run, their results go back, until it has nothing more
// to call. A function of a transcript, a model and a dispatcher; who posted what and when is the
// business of the runner.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "agent/event.h"
#include "agent/toolbox.h"
#include "dispatch/dispatcher.h"
#include "model/model.h"
#include "session/transcript.h"

namespace helve::agent {

// In which order the calls of one answer are run. Results are given in the order of the calls.
enum class Order : unsigned char {
  parallel,    // those that only read together, the others alone and in order
  serial,      // one after another
  first_only,  // the others are not run
};

// 0: no limit. What sub-agents spend counts as well.
struct Bounds {
  int turns = 100;  // answers of the model
  std::int64_t tokens = 0;
  std::int64_t micro_dollars = 0;
  std::chrono::milliseconds time{0};
};

// Micro-dollars; nothing when the price is not known.
using Cost = std::function<std::optional<std::int64_t>(const model::Usage&)>;

// Everything besides the conversation.
struct Setup {
  std::shared_ptr<model::Model> model;
  std::shared_ptr<const void> keeps;  // whatever the pointers below need to live
  dispatch::Dispatcher* dispatcher = nullptr;
  const dispatch::Policy* policy = nullptr;
  Hooks* hooks = nullptr;
  Approver* approver = nullptr;  // null: that of the dispatcher
  Identity who;
  std::string system;
  model::Offers offers;
  std::shared_ptr<const Toolbox> toolbox;  // what is not offered; null: nothing, or nobody asks
  std::int64_t max_output_tokens = 0;
  std::optional<double> temperature;
  model::Effort effort = model::Effort::unset;
  std::int64_t window = 0;  // tokens; 0: not known, so only the provider says when it is full
  double compact_at = 0.8;  // of the window
  Cost cost;
  Order order = Order::parallel;
  Bounds bounds;
  std::optional<JsonObject> output_schema;  // of the answer, where it has to have a form
};

enum class End : unsigned char {
  done,        // the model has said all
  terminal,    // a tool that ends the session's work was called
  refused,     // by the model or the provider
  cut,         // no room for the rest of the answer
  turns,       // the limit of that name
  tokens,      //
  cost,        //
  time,        //
  repetition,  // the same call with the same result, again and again
  cancelled,   //
  failed,      // the error says why
};
std::string_view name_of(End end);

struct Ending {
  End end = End::done;
  std::string text;                // what the model said last
  std::optional<Json> structured;  // the answer in the form that was asked for
  std::optional<Error> error;
  model::Usage usage;
  std::int64_t micro_dollars = 0;
  bool is_priced = true;  // false: some of it has no known price
  int turns = 0;
  int calls = 0;

  bool ok() const { return end == End::done || end == End::terminal; }
};

// As the store counts it.
store::Spent spent_of(const model::Usage& usage, std::int64_t micro_dollars);

// What others spend for a run: its sub-agents. Thread-safe.
class Tab {
 public:
  void add(const Ending& other);
  // Onto the bill, and off the tab.
  void settle(Ending& bill);

 private:
  std::mutex mutex_;
  model::Usage usage_;
  std::int64_t micro_dollars_ = 0;
  bool is_priced_ = true;
};

// Answers what is in the inbox and what was left unanswered, if anything. The transcript is valid
// afterwards, whatever happened. Never throws.
Ending run(session::Transcript& transcript, const Setup& setup, const Emit& emit,
           std::stop_token stop, Tab* tab = nullptr);

}  // namespace helve::agent
