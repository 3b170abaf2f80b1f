// Agents: what tools reach of the agents and sessions around them: sub-agents, other sessions, and
// who is at work.
#pragma once

#include "agent/runner.h"
#include "store/conversation.h"

namespace helve::agent {

// An agent that the configuration has.
struct Card {
  std::string id;
  std::string description;
  std::string model;  // empty: the one of whoever begins it
};

// What a sub-agent may use of its parent's tools.
enum class Kit : unsigned char { inherit, read_only };
std::string_view name_of(Kit kit);
// What Kit::read_only leaves.
const std::vector<std::string>& read_only_tools();

struct Spawn {
  std::string parent;  // session
  std::string prompt;
  std::string agent = {};  // empty: the parent's
  Kit kit = Kit::inherit;
  std::string title = {};
  bool in_background = false;                      // its end is posted to the parent
  std::function<void(const Work&)> on_calls = {};  // of one that is waited for: it made more
};

struct Spawned {
  std::string session;
  std::optional<Ending> ending;  // nothing: it runs on
};

// A question to the model of an agent, by itself: no tools, no session.
struct Question {
  std::string agent;
  std::string system;
  std::string text;
  std::int64_t max_output_tokens = 0;
  std::chrono::milliseconds timeout{};
};
using Ask = std::function<Result<std::string>(const Question&, std::stop_token)>;

// How a sub-agent's kit is written into its conversation, and read from there.
std::string purpose_of(Kit kit);
std::optional<Kit> kit_of(const store::Conversation& conversation);  // nothing: no sub-agent

// Thread-safe.
class Agents {
 public:
  struct Options {
    std::vector<Card> cards;
    int depth = 2;          // of sub-agents of sub-agents
    std::string workspace;  // that this process works in
    Ask ask = {};           // asks a model; thread-safe. Null: there is none
  };
  // Borrows all.
  Agents(store::SharedStore& store, const sys::Clock& clock, Runner& runner, Options options)
      : store_(store), clock_(clock), runner_(runner), options_(std::move(options)) {}

  const std::vector<Card>& cards() const { return options_.cards; }
  const std::string& workspace() const { return options_.workspace; }
  store::SharedStore& store() { return store_; }
  Runner& runner() { return runner_; }

  // What the model says; `timeout` when it takes too long.
  Result<std::string> ask(const Question& question, std::stop_token stop) const {
    if (options_.ask) return options_.ask(question, std::move(stop));
    return Error{Code::unavailable, "there is no model to be asked", "", "no_model"};
  }

  // Runs a sub-agent in a session of its own; what it spends counts as the parent's as well.
  // Returns when it has ended, unless in the background.
  Result<Spawned> spawn(const Spawn& spawn, std::stop_token stop);
  // Tells a session something more, at work or not; where that begins the work of a sub-agent, its
  // end is posted to who began it.
  Result<void> tell(const std::string& session, const std::string& sender, std::string text);
  // The same for who looks after the answer: its end is posted to nobody, but what a sub-agent
  // spends for it counts for those above it.
  Result<std::shared_ptr<Work>> send(const std::string& session, const std::string& sender,
                                     std::string text);
  // Whether `session` was begun by `ancestor`, or by one that was.
  Result<bool> descends(std::string_view session, std::string_view ancestor);

 private:
  Result<void> ensure(const std::string& session);
  Result<int> depth_of(std::string_view session);
  enum class Told : unsigned char { parent, nobody };
  Result<std::shared_ptr<Work>> post(const std::string& session, const std::string& sender,
                                     std::string text, Told told, std::string id = {});
  Result<void> tell_end(const std::string& parent, const std::string& child, const Ending& ending);
  OnEnd report_to(const std::string& parent, Told told);
  Result<void> charge(std::string session, const Ending& ending);
  void account(const Work& work, const std::string& parent, const Ending& ending);

  store::SharedStore& store_;
  const sys::Clock& clock_;
  Runner& runner_;
  const Options options_;
};

// Made when somebody first needs them: most calls do not. Thread-safe.
class AgentsOnDemand {
 public:
  using Make = std::function<Result<Agents*>()>;
  explicit AgentsOnDemand(Make make) : make_(std::move(make)) {}

  // Borrowed. After a failure the next use tries again.
  Result<Agents*> get() {
    std::lock_guard lock(mutex_);
    if (!agents_) agents_ = TRY(make_());
    return agents_;
  }
  // Null: nobody has needed them yet, so nothing is at work here.
  Agents* if_made() {
    std::lock_guard lock(mutex_);
    return agents_;
  }

 private:
  const Make make_;
  std::mutex mutex_;
  Agents* agents_ = nullptr;  // guarded by mutex_
};

// The first line of a prompt, as a title.
std::string title_of(std::string_view prompt);

}  // namespace helve::agent
