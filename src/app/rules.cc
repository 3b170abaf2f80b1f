#include "app/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/blame.h"

namespace helve::app {
namespace {

dispatch::Rules rules_of(const config::RuleLayer& layer) {
  dispatch::Rules rules{
      .source = layer.source, .allow = layer.allow, .deny = layer.deny, .ask = layer.ask};
  for (size_t i = 0; i < rules.effects.size(); ++i)
    rules.effects[i] = static_cast<dispatch::Verdict>(layer.effects[i]);
  // The only flag that says anything about effects.
  if (layer.source == config::kCommandLine) rules.effects_from = "--read-only";
  return rules;
}

bool restricts(const config::RuleLayer& layer) {
  return !layer.allow.empty() || !layer.deny.empty() || !layer.ask.empty() ||
         std::ranges::any_of(layer.effects, [](config::Verdict verdict) {
           return verdict != config::Verdict::allow;
         });
}

}  // namespace

Result<std::shared_ptr<const dispatch::Policy>> make_policy(const Registry& registry,
                                                            const config::Loaded& settings,
                                                            std::string_view agent) {
  const std::vector<config::RuleLayer> rules = settings.rules_for(agent);
  std::vector<dispatch::Rules> layers;
  for (const config::RuleLayer& layer : rules) {
    if (restricts(layer)) layers.push_back(rules_of(layer));
  }
  if (layers.empty()) return nullptr;
  if (settings.config.profile == config::Profile::bare) {
    return Error{Code::invalid_argument,
                 fmt::format("the bare profile has no policy, and {} restricts tools",
                             layers.front().source),
                 "leave one of them out", "usage"};
  }
  Result<dispatch::Policy> policy = dispatch::Policy::make(registry, layers);
  if (!policy) return wrong_rules(registry, settings, rules, std::move(policy).error());
  return std::make_shared<const dispatch::Policy>(std::move(*policy));
}

}  // namespace helve::app
