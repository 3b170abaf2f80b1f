// Model choice: from what the user says to a model that is ready. Flags stand over the environment
// (HELVE_MODEL_…), and that over the configuration.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/surroundings.h"
#include "config/config.h"
#include "model/model.h"
#include "model/presets.h"
#include "model/prices.h"
#include "sys/http.h"

namespace helve::app {

// What a command's own flags say; empty: nothing.
struct ModelFlags {
  std::string provider, base_url, model;
  std::optional<config::Protocol> protocol;
  std::string record, script;

  // Whether they say which model is asked.
  bool choose() const {
    return !provider.empty() || !base_url.empty() || !model.empty() || protocol || !script.empty();
  }
};

// Names of providers that are no presets.
constexpr std::string_view kScripted = "scripted";  // tells a file of turns
constexpr std::string_view kRecorded = "recorded";  // tells a recorded run once more
constexpr std::string_view kCustom = "custom";      // a base URL without a name

constexpr std::string_view kNoModel = "no_model";  // the type of the error: there is none to use

// What would be used, as far as that can be told without the network.
struct ModelPlan {
  config::ModelSettings settings;     // of the agent, under the flags
  std::string provider;               // empty: a server of this machine that is yet to be found
  const model::Wire* wire = nullptr;  // null: no server is asked
  model::Endpoint endpoint;           // its model may be empty: see find_problem()
  std::string key_from;               // where the key was found, for people; empty: there is none
  bool is_local = false;              // it costs nothing, and its first model will do

  // What keeps it from being used: a model of a provider that has many must be named.
  std::optional<Error> find_problem() const;
  // "claude-sonnet-4-5 of anthropic (https://api.anthropic.com, key from ANTHROPIC_API_KEY)".
  // Never the key.
  std::string describe() const;
};
Result<ModelPlan> plan_model(const config::Loaded& settings, std::string_view agent,
                             const ModelFlags& flags, const Surroundings& surroundings);
// What holds of the flags of a run for an agent that it starts besides its own. One that has a
// provider or an address of its own keeps it: neither its prompts nor its key were meant for the
// other. But what a file tells is told instead of everybody's.
ModelFlags flags_for_other(const config::Loaded& settings, std::string_view agent,
                           const ModelFlags& flags);

struct ChosenModel {
  // Shared: sessions and sub-agents that use it end in any order.
  std::shared_ptr<model::Model> model;
  std::string provider, name;
  std::string script;  // the file that it tells; empty: none
  model::ModelFacts facts;
  bool is_text_protocol = false;
  // What every request takes over.
  model::Effort effort = model::Effort::unset;
  std::optional<double> temperature;
  std::int64_t max_output_tokens = 0;  // 0: not set
  std::string description;             // for people, without the key
};
// Borrows the client, for as long as the model lives. Asks a server for its models only where none
// was named; an error of the type kNoModel says how to connect one.
Result<ChosenModel> choose_model(const config::Loaded& settings, std::string_view agent,
                                 const ModelFlags& flags, const Surroundings& surroundings,
                                 sys::HttpClient& client, std::stop_token stop);

// Completes a plan without a provider by the first server that has the model, or one that talks.
// Error of the type kNoModel: there is none.
Result<void> take_first(ModelPlan& plan, std::vector<model::Discovered> servers,
                        const Surroundings& surroundings);

// How the calls of one answer run. A model without tool calls of its own makes one, unless it is
// set otherwise.
config::CallOrder order_of(const config::Loaded& settings, bool is_text_protocol);

model::Lookup environment_of(const Surroundings& surroundings);
// The user's own prices.
std::vector<model::PriceRule> price_rules(const config::Config& config);

}  // namespace helve::app
