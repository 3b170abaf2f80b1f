#include "app/blame.h"

#include <fmt/format.h>

#include "app/rules.h"

namespace helve::app {

Error wrong_rules(const Registry& registry, const config::Loaded& settings,
                  const std::vector<config::RuleLayer>& rules, Error otherwise) {
  config::Complaints complaints;
  for (const config::RuleLayer& layer : rules) {
    auto look = [&](std::string_view list, const std::vector<std::string>& patterns) {
      for (size_t i = 0; i < patterns.size(); ++i) {
        const auto matched = registry.expand(patterns[i]);
        if (!matched)
          complaints.add(settings.layers[layer.layer],
                         fmt::format("{}.{}[{}]", layer.path, list, i), matched.error().message,
                         matched.error().hint);
      }
    };
    look("allow", layer.allow);
    look("deny", layer.deny);
    look("ask", layer.ask);
  }
  return complaints.empty() ? std::move(otherwise) : complaints.to_error();
}

Error wrong_permissions(const Registry& registry, const config::Loaded& settings, Error otherwise) {
  config::Complaints complaints;
  for (const auto& allowed : settings.allow) {
    for (const dispatch::RuleProblem& problem :
         dispatch::problems_of(rule_of(allowed.rule), registry))
      complaints.add(settings.layers[allowed.layer],
                     fmt::format("{}.{}", allowed.path, problem.path), problem.error.message,
                     problem.error.hint);
  }
  for (const auto& command : settings.commands) {
    const Result<void> right = dispatch::check(rule_of(command.rule), reader_of(settings));
    if (!right)
      complaints.add(settings.layers[command.layer], command.path, right.error().message,
                     right.error().hint);
  }
  return complaints.empty() ? std::move(otherwise) : complaints.to_error();
}

Error wrong_setting(const config::Loaded& settings, std::string_view path, Error error) {
  const config::Layer* layer = settings.decider(path);
  if (!layer || layer->is_command_line) return error;
  config::Complaints complaints;
  complaints.add(*layer, path, error.message, error.hint);
  return complaints.to_error();
}

}  // namespace helve::app
