// Staff: the agents of a world: their models, their sessions and the workers on them. Made when
// somebody first needs one; most calls do not.
#pragma once

#include <map>

#include "agent/agents.h"
#include "agent/system_prompt.h"
#include "app/kept_facts.h"
#include "app/model_choice.h"
#include "app/wire.h"

namespace helve::app {

constexpr size_t kMaxFacts = 1'000;  // sessions whose facts are kept

// What whoever starts agents wants of them.
struct StaffOptions {
  ModelFlags model;
  agent::Emit emit = [](const agent::Event&) {};
  // The last word about a session's setup.
  std::function<void(const store::Conversation&, agent::Setup&)> adjust = {};
  Approver* approver = nullptr;  // null: that of the place
};

class Staff {
 public:
  // Borrows both.
  static Result<std::unique_ptr<Staff>> make(World& world, const Surroundings& surroundings,
                                             StaffOptions options);

  store::SharedStore& store() { return store_; }
  agent::Runner& runner() { return runner_; }
  agent::Agents& agents() { return agents_; }

  // The model of an agent, made once.
  Result<const ChosenModel*> model_of(const std::string& agent, std::stop_token stop);
  // Another one for everybody from now on, such as a person chose.
  void change_model(ModelFlags flags);
  ModelFlags model_flags();
  // The session goes on with this choice whenever it is taken up.
  Result<void> remember_model(const std::string& session);
  // A new conversation. `session` is its id.
  Result<void> begin(const std::string& session, const std::string& agent, std::string title,
                     std::string purpose);
  // What a session would be run with.
  Result<std::shared_ptr<const agent::Setup>> prepare(const store::Conversation& conversation);

 private:
  Staff(World& world, const Surroundings& surroundings, StaffOptions options);
  Result<std::shared_ptr<const dispatch::Policy>> policy_of(const store::Conversation& conversation,
                                                            const Place& place);
  Result<std::string> ask(const agent::Question& question, const std::stop_token& stop);
  struct Told {
    std::shared_ptr<const dispatch::Policy> policy;
    model::Offers offers;
    std::shared_ptr<const agent::Toolbox> toolbox;
  };
  Told told_under(const std::shared_ptr<const dispatch::Policy>& policy);
  std::string system_for(const store::Conversation& conversation, const Place& place,
                         const std::string& agent);

  World& world_;
  const Surroundings& surroundings_;
  StaffOptions options_;
  std::unique_ptr<sys::HttpClient> client_ = sys::make_http_client();
  std::mutex mutex_;
  std::map<std::string, ChosenModel, std::less<>> models_;  // guarded by mutex_, by agent
  std::vector<ChosenModel> retired_;                        // guarded by mutex_
  Told told_;                                               // guarded by mutex_: the last
  KeptFacts facts_{kMaxFacts};                              // guarded by mutex_
  store::SharedStore store_;
  agent::Agents agents_;  // goes after the runner, whose workers use it
  agent::Runner runner_;
};

}  // namespace helve::app
