#include "dispatch/policy.h"

#include <fmt/format.h>

namespace helve::dispatch {
namespace {

Error bad_rule(const Rules& rules, std::string_view list, const Error& why) {
  return Error{Code::invalid_argument, fmt::format("{}: {}: {}", rules.source, list, why.message),
               why.hint, "invalid_policy"};
}

}  // namespace

Result<Policy> Policy::make(const Registry& registry, const std::vector<Rules>& layers) {
  Policy policy;
  policy.tools_.resize(registry.tools().size());
  auto tighten = [](Entry& entry, Verdict verdict, std::string reason) {
    if (verdict > entry.verdict) entry = {verdict, std::move(reason)};
  };
  for (const Rules& rules : layers) {
    auto apply = [&](std::string_view list, const std::vector<std::string>& patterns,
                     Verdict verdict) -> Result<void> {
      for (const std::string& pattern : patterns) {
        Result<std::vector<size_t>> matched = registry.expand(pattern);
        if (!matched) return bad_rule(rules, list, matched.error());
        for (size_t tool : *matched)
          tighten(policy.tools_[tool], verdict,
                  fmt::format("{} '{}' of {}", list, pattern, rules.source));
      }
      return {};
    };
    TRY(apply("tools.deny", rules.deny, Verdict::deny));
    TRY(apply("tools.ask", rules.ask, Verdict::ask));
    if (!rules.allow.empty()) {
      std::vector<bool> listed(policy.tools_.size());
      for (const std::string& pattern : rules.allow) {
        Result<std::vector<size_t>> matched = registry.expand(pattern);
        if (!matched) return bad_rule(rules, "tools.allow", matched.error());
        for (size_t tool : *matched) listed[tool] = true;
      }
      for (size_t i = 0; i < listed.size(); ++i) {
        if (!listed[i])
          tighten(policy.tools_[i], Verdict::deny,
                  fmt::format("it is not in tools.allow of {}", rules.source));
      }
    }
    for (size_t i = 0; i < rules.effects.size(); ++i) {
      tighten(policy.effects_[i], rules.effects[i],
              !rules.effects_from.empty()
                  ? rules.effects_from
                  : fmt::format("tools.effects.{} of {}", name_of(static_cast<Effect>(i)),
                                rules.source));
    }
  }
  auto asks = [](const Entry& entry) { return entry.verdict == Verdict::ask; };
  auto restricts = [](const Entry& entry) { return entry.verdict != Verdict::allow; };
  policy.plain_ = std::none_of(policy.tools_.begin(), policy.tools_.end(), asks) &&
                  std::none_of(policy.effects_.begin(), policy.effects_.end(), restricts);
  // A tool that can only do what is denied is not offered either.
  for (size_t i = 0; i < policy.tools_.size(); ++i) {
    const Entry& effect = policy.effects_[static_cast<size_t>(registry.tools()[i].spec.effect)];
    if (effect.verdict == Verdict::deny && !registry.tools()[i].spec.effect_varies)
      tighten(policy.tools_[i], Verdict::deny, effect.reason);
  }
  return policy;
}

Result<Policy> Policy::spawn(const Registry& registry, const Policy& parent,
                             const std::vector<Rules>& layers,
                             const std::vector<std::string>& preset) {
  std::vector<Rules> all = layers;
  if (!preset.empty()) all.push_back({.source = "the sub-agent's preset", .allow = preset});
  Policy policy = TRY(make(registry, all));
  auto intersect = [](Entry& entry, const Entry& inherited) {
    if (inherited.verdict > entry.verdict)
      entry = {inherited.verdict, inherited.reason + ", inherited from the parent"};
  };
  for (size_t i = 0; i < policy.tools_.size(); ++i) intersect(policy.tools_[i], parent.tools_[i]);
  for (size_t i = 0; i < policy.effects_.size(); ++i)
    intersect(policy.effects_[i], parent.effects_[i]);
  policy.plain_ = policy.plain_ && parent.plain_;
  return policy;
}

Policy::Decision Policy::decide(size_t tool, Effect effect) const {
  const Entry& by_name = tools_[tool];
  const Entry& by_effect = effects_[static_cast<size_t>(effect)];
  const Entry& stricter = by_effect.verdict > by_name.verdict ? by_effect : by_name;
  return {stricter.verdict, stricter.reason};
}

}  // namespace helve::dispatch
