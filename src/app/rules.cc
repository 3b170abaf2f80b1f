#include "app/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/blame.h"
#include "config/add_items.h"
#include "tools/command_demand.h"

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

std::vector<dispatch::Rules> restricting(const std::vector<config::RuleLayer>& rules) {
  std::vector<dispatch::Rules> layers;
  for (const config::RuleLayer& layer : rules) {
    if (restricts(layer)) layers.push_back(rules_of(layer));
  }
  return layers;
}

Error bare_has_no(std::string_view what, std::string_view where) {
  return Error{Code::invalid_argument,
               fmt::format("the bare profile has no {}, and {}", what, where),
               "leave one of them out", "usage"};
}

// What set the mode, for people.
std::string mode_from(const config::Loaded& settings) {
  const std::string_view mode = schema::kType<config::ApprovalMode>.names[static_cast<size_t>(
      settings.config.approvals.mode)];
  const config::Layer* const layer = settings.decider("approvals.mode");
  if (layer && layer->is_command_line) return fmt::format("--approvals {}", mode);
  return fmt::format("approvals.mode '{}' of {}", mode, layer ? layer->source : "the defaults");
}

}  // namespace

Result<std::shared_ptr<const dispatch::Policy>> make_policy(const Registry& registry,
                                                            const config::Loaded& settings,
                                                            std::string_view agent) {
  const std::vector<config::RuleLayer> rules = settings.rules_for(agent);
  const std::vector<dispatch::Rules> layers = restricting(rules);
  if (layers.empty()) return nullptr;
  if (settings.config.profile == config::Profile::bare) {
    return bare_has_no("policy", layers.front().source + " restricts tools");
  }
  Result<dispatch::Policy> policy = dispatch::Policy::make(registry, layers);
  if (!policy) return wrong_rules(registry, settings, rules, std::move(policy).error());
  return std::make_shared<const dispatch::Policy>(std::move(*policy));
}

Result<std::shared_ptr<const dispatch::Policy>> spawn_policy(
    const Registry& registry, const config::Loaded& settings, std::string_view agent,
    const std::shared_ptr<const dispatch::Policy>& parent, const std::vector<std::string>& preset) {
  const std::vector<config::RuleLayer> rules = settings.rules_for(agent);
  std::optional<dispatch::Policy> everything;
  if (!parent) everything = TRY(dispatch::Policy::make(registry, {}));
  Result<dispatch::Policy> policy =
      dispatch::Policy::spawn(registry, parent ? *parent : *everything, restricting(rules), preset);
  if (!policy) return wrong_rules(registry, settings, rules, std::move(policy).error());
  return std::make_shared<const dispatch::Policy>(std::move(*policy));
}

dispatch::AllowRule rule_of(const config::AllowRule& rule) {
  return {rule.tool, rule.arguments, rule.beyond, rule.workspace};
}

shell::Reader reader_of(const config::Loaded& settings) {
  return tools::is_bash(settings.config.exec.shell) ? shell::Reader::bash
                                                    : shell::Reader::any_shell;
}

dispatch::CommandRule rule_of(const config::CommandRule& rule) {
  return {{.pattern = rule.pattern,
           .verdict = static_cast<shell::Verdict>(rule.verdict),
           .reason = rule.reason,
           .match = rule.match,
           .not_match = rule.not_match},
          rule.beyond,
          rule.workspace};
}

Result<std::shared_ptr<const dispatch::Approvals>> make_approvals(const Registry& registry,
                                                                  const config::Loaded& settings,
                                                                  dispatch::Grants& grants) {
  const config::ApprovalSettings& wanted = settings.config.approvals;
  const bool is_bare = settings.config.profile == config::Profile::bare;
  if (is_bare && wanted.mode != config::ApprovalMode::off)
    return bare_has_no("approvals", mode_from(settings) + " asks for them");
  dispatch::ApprovalSettings made{
      .mode = static_cast<dispatch::ApprovalSettings::Mode>(wanted.mode),
      .mode_from = mode_from(settings),
      .timeout =
          std::chrono::milliseconds(static_cast<std::int64_t>(wanted.timeout_seconds * 1000)),
      .fallback = static_cast<dispatch::ApprovalSettings::Fallback>(wanted.fallback),
      .reader = reader_of(settings)};
  for (const auto& allowed : settings.allow) made.allow.push_back(rule_of(allowed.rule));
  for (const auto& command : settings.commands) made.commands.push_back(rule_of(command.rule));
  for (const config::RouteSettings& route : settings.config.routes) {
    if (!route.ask) made.granted.push_back(std::string(kBeyondHost) + route.name);
  }
  Result<dispatch::Approvals> approvals =
      dispatch::Approvals::make(registry, std::move(made), grants);
  if (!approvals) return wrong_permissions(registry, settings, std::move(approvals).error());
  return std::make_shared<const dispatch::Approvals>(std::move(*approvals));
}

std::unique_ptr<dispatch::Grants> make_grants(const std::string& user_file,
                                              const std::string& lock) {
  if (user_file.empty() || lock.empty()) return std::make_unique<dispatch::Grants>();
  return std::make_unique<dispatch::Grants>(user_file,
                                            [user_file, lock](const std::vector<RuleLine>& lines) {
                                              std::vector<config::NewItem> items;
                                              for (const RuleLine& line : lines)
                                                items.push_back({line.list, line.yaml});
                                              return config::add_items(user_file, lock, items);
                                            });
}

}  // namespace helve::app
