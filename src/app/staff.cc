#include "app/staff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/model_memory.h"
#include "app/offered.h"
#include "app/prompt_message.h"
#include "app/prompt_parts.h"
#include "app/rules.h"
#include "base/text.h"
#include "dispatch/deadlines.h"

namespace helve::app {
namespace {

agent::Runner::Options lanes_of(const config::Lanes& lanes) {
  return {.limits = {static_cast<size_t>(lanes.main), static_cast<size_t>(lanes.cron),
                     static_cast<size_t>(lanes.subagents)}};
}

std::vector<agent::Card> cards_of(const config::Loaded& settings, const std::string& main) {
  std::vector<agent::Card> cards;
  for (const config::Agent& agent : settings.config.agents)
    cards.push_back({agent.id, agent.description, settings.model_of(agent.id).name});
  if (!settings.agent(main)) cards.insert(cards.begin(), {main, "", settings.config.model.name});
  return cards;
}

agent::Bounds bounds_of(const config::LoopSettings& settings) {
  return {.turns = static_cast<int>(settings.turns),
          .tokens = settings.tokens.value_or(0),
          .micro_dollars = std::llround(settings.cost.value_or(0) * 1e6),
          .time = std::chrono::milliseconds(
              static_cast<std::int64_t>(settings.time.value_or(0) * 1000))};
}

// Of a kit, those that are loaded.
std::vector<std::string> preset_of(agent::Kit kit, const Registry& registry) {
  std::vector<std::string> names;
  if (kit == agent::Kit::inherit) return names;
  for (const std::string& name : agent::read_only_tools())
    if (registry.resolve(name)) names.push_back(name);
  return names;
}

}  // namespace

Result<std::unique_ptr<Staff>> Staff::make(World& world, const Surroundings& surroundings,
                                           StaffOptions options) {
  if (!world.opener)
    return Error{Code::unavailable, "sessions need a place where they are kept",
                 "leave out --profile bare, and set HOME or XDG_STATE_HOME", "no_store"};
  return std::unique_ptr<Staff>(new Staff(world, surroundings, std::move(options)));
}

Staff::Staff(World& world, const Surroundings& surroundings, StaffOptions options)
    : world_(world),
      surroundings_(surroundings),
      options_(std::move(options)),
      store_(*world.opener),
      agents_(store_, world.clock, runner_,
              {.cards = cards_of(world.home->settings, world.home->who.agent),
               .depth = static_cast<int>(world.home->settings.config.agent.depth),
               .workspace = world.home->who.workspace,
               .ask = [this](const agent::Question& question,
                             std::stop_token stop) { return ask(question, stop); }}),
      runner_(
          store_, world.clock,
          [this](const store::Conversation& conversation) { return prepare(conversation); },
          options_.emit, lanes_of(world.home->settings.config.agent.lanes)) {}

Result<const ChosenModel*> Staff::model_of(const std::string& agent, std::stop_token stop) {
  std::lock_guard lock(mutex_);
  const auto found = models_.find(agent);
  if (found != models_.end()) return &found->second;
  const config::Loaded& settings = world_.home->settings;
  const ModelFlags flags = agent == world_.home->who.agent
                               ? options_.model
                               : flags_for_other(settings, agent, options_.model);
  ChosenModel chosen =
      TRY(choose_model(settings, agent, flags, surroundings_, *client_, std::move(stop)));
  // A record is of all agents of a run, and tells each of its replies once.
  for (const auto& [other, known] : models_) {
    if (chosen.provider == kRecorded && known.provider == kRecorded &&
        known.script == chosen.script)
      chosen.model = known.model;
  }
  return &models_.emplace(agent, std::move(chosen)).first->second;
}

Result<std::string> Staff::ask(const agent::Question& question, const std::stop_token& stop) {
  dispatch::Deadlines deadlines;
  TRY(deadlines.start());
  const dispatch::Deadlines::Guard guard(deadlines,
                                         std::chrono::steady_clock::now() + question.timeout, stop);
  const ChosenModel& chosen = *TRY(model_of(question.agent, guard.token()));
  const model::Message message = model::user_message(question.text);
  Result<model::Reply> reply = chosen.model->stream(
      {.system = question.system,
       .messages = std::span(&message, 1),
       .max_output_tokens = question.max_output_tokens,
       .temperature = chosen.temperature},
      [](const model::Delta&) {}, guard.token());
  if (reply) return model::text_of(reply->message);
  if (reply.error().code != Code::cancelled || stop.stop_requested())
    return std::move(reply).error();
  return Error{Code::timeout, "the model took too long to answer", "", "timeout"};
}

void Staff::change_model(ModelFlags flags) {
  std::lock_guard lock(mutex_);
  options_.model = std::move(flags);
  for (auto& [agent, model] : models_) retired_.push_back(std::move(model));
  models_.clear();
}

ModelFlags Staff::model_flags() {
  std::lock_guard lock(mutex_);
  return options_.model;
}

Result<void> Staff::remember_model(const std::string& session) {
  const std::string choice = remembered(model_flags(), surroundings_.current_directory);
  return store_.use(
      [&](store::Store& store) { return store.set_conversation_model(session, choice); });
}

Result<void> Staff::begin(const std::string& session, const std::string& agent, std::string title,
                          std::string purpose) {
  const std::string model = remembered(model_flags(), surroundings_.current_directory);
  return store_.use([&](store::Store& store) {
    return store.begin_conversation({.session = session,
                                     .title = std::move(title),
                                     .agent = agent,
                                     .workspace = world_.home->who.workspace,
                                     .purpose = std::move(purpose),
                                     .model = model,
                                     .created_ms = world_.clock.unix_ms()});
  });
}

Result<std::shared_ptr<const dispatch::Policy>> Staff::policy_of(
    const store::Conversation& conversation, const Place& place) {
  const Registry& registry = *world_.registry;
  const std::string& agent = conversation.agent.empty() ? place.who.agent : conversation.agent;
  const std::optional<agent::Kit> kit = agent::kit_of(conversation);
  if (!kit)
    return agent == place.who.agent ? place.policy : make_policy(registry, place.settings, agent);
  const store::Conversation parent =
      TRY(store_.use([&](store::Store& store) { return store.conversation(conversation.parent); }));
  return spawn_policy(registry, place.settings, agent, TRY(policy_of(parent, place)),
                      preset_of(*kit, registry));
}

Staff::Told Staff::told_under(const std::shared_ptr<const dispatch::Policy>& policy) {
  std::lock_guard lock(mutex_);
  if (!told_.offers || told_.policy != policy) {
    Offered offered = offered_under(world_, policy.get());
    told_ = {policy, std::make_shared<const std::vector<model::Offer>>(std::move(offered.offers)),
             std::move(offered.toolbox)};
  }
  return told_;
}

std::string Staff::system_for(const store::Conversation& conversation, const Place& place,
                              const std::string& agent) {
  std::vector<std::string> notices;
  const std::string message = message_of(store_, conversation.session);
  std::vector<agent::PromptPart> parts =
      gather_prompt(place, surroundings_, world_.clock, {agent, message}, notices);
  const auto facts = std::ranges::find(parts, kFactsPart, &agent::PromptPart::name);
  if (facts != parts.end()) {
    std::lock_guard lock(mutex_);
    facts->text = facts_.told(conversation.session, std::move(facts->text));
  }
  for (const std::string& notice : notices)
    options_.emit({conversation.session, agent::Warned{notice}});
  return agent::system_prompt(parts);
}

Result<std::shared_ptr<const agent::Setup>> Staff::prepare(
    const store::Conversation& conversation) {
  const std::shared_ptr<const Place> place = world_.place();
  if (conversation.workspace != place->who.workspace)
    return Error{
        Code::conflict,
        fmt::format("session {} works in {}", conversation.session,
                    escape_for_display(conversation.workspace)),
        fmt::format("run helve there: helve -C {} …", shell_quoted(conversation.workspace)),
        "other_workspace"};
  const std::string agent = conversation.agent.empty() ? place->who.agent : conversation.agent;
  const ChosenModel& model = *TRY(model_of(agent, {}));
  struct Kept {
    std::shared_ptr<const Place> place;
    std::shared_ptr<const dispatch::Policy> policy;
  };
  const auto kept = std::make_shared<Kept>(place, TRY(policy_of(conversation, *place)));
  const config::LoopSettings& loop = place->settings.config.agent;
  auto setup = std::make_shared<agent::Setup>();
  setup->model = model.model;
  setup->keeps = kept;
  setup->dispatcher = place->dispatcher.get();
  setup->policy = kept->policy.get();
  setup->hooks = place->stages.hooks;
  setup->approver = options_.approver ? options_.approver : place->stages.approver;
  setup->who = {.agent = agent,
                .user = place->who.user,
                .workspace = place->who.workspace,
                .session = conversation.session};
  setup->system = system_for(conversation, *place, agent);
  const Told told = told_under(kept->policy);
  setup->offers = told.offers;
  setup->toolbox = told.toolbox;
  setup->max_output_tokens = model.max_output_tokens;
  setup->temperature = model.temperature;
  setup->effort = model.effort;
  setup->window = model.facts.window;
  setup->compact_at = loop.compact_at;
  setup->cost = [price = model.facts.price](const model::Usage& usage) {
    return price ? std::optional(model::cost(usage, *price)) : std::nullopt;
  };
  setup->order = static_cast<agent::Order>(order_of(place->settings, model.is_text_protocol));
  setup->bounds = bounds_of(loop);
  if (options_.adjust) options_.adjust(conversation, *setup);
  return setup;
}

}  // namespace helve::app
