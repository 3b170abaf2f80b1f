#include "dispatch/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "shell/effect.h"

namespace helve::dispatch {
namespace {

using Mode = ApprovalSettings::Mode;

// Of the rules that people are offered, which they are to read.
constexpr size_t kMaxOfferedBytes = 2000;
constexpr size_t kMaxOfferedRules = 20;

std::string in_words(std::string_view beyond) {
  if (beyond == kBeyondNetwork) return "the network";
  if (beyond == kBeyondFull) return "no sandbox";
  if (beyond.starts_with(kBeyondHost))
    return fmt::format("the host route '{}'", beyond.substr(kBeyondHost.size()));
  return fmt::format("the directory {}", beyond.substr(kBeyondRoot.size()));
}

std::string in_words(const std::vector<std::string>& ways) {
  std::string words;
  for (const std::string& way : ways) words += (words.empty() ? "" : ", ") + in_words(way);
  return words;
}

Offer within_bounds(Offer offer) {
  size_t bytes = 0;
  for (const RuleLine& line : offer.lines) bytes += line.yaml.size();
  if (bytes <= kMaxOfferedBytes && offer.lines.size() <= kMaxOfferedRules) return offer;
  return {.why_not = fmt::format("what names exactly this call is longer than {} bytes or {} rules",
                                 kMaxOfferedBytes, kMaxOfferedRules)};
}

}  // namespace

Offer both(Offer one, Offer other) {
  for (const Offer* each : {&one, &other}) {
    if (!each->why_not.empty()) return {.why_not = each->why_not};
  }
  std::ranges::move(other.lines, std::back_inserter(one.lines));
  std::ranges::move(other.rules.allow, std::back_inserter(one.rules.allow));
  std::ranges::move(other.rules.commands, std::back_inserter(one.rules.commands));
  return within_bounds(std::move(one));
}

// The rules for commands, compiled for the workspace that asked last. They change only when a
// person allows something for ever.
struct Judge::Cache {
  std::mutex mutex;
  std::string workspace;                  // guarded by mutex, as is what follows
  std::shared_ptr<const Standing> added;  // what was compiled
  std::shared_ptr<const CommandPolicy> policy;
};

Judge::Judge(const Registry& registry, ApprovalSettings settings, Grants& grants)
    : registry_(&registry),
      settings_(std::move(settings)),
      grants_(&grants),
      cache_(std::make_unique<Cache>()) {
  for (AllowRule& rule : settings_.allow) {
    std::vector<size_t> tools = registry.expand(rule.tool).value_or(std::vector<size_t>{});
    allow_.push_back({std::move(rule), std::move(tools)});
  }
  settings_.allow.clear();
}

Judge::Judge(Judge&&) noexcept = default;
Judge::~Judge() = default;

shell::Analysis analysis_of(const Demand& demand) {
  if (demand.command.empty()) return {};
  shell::Analysis script =
      shell::analyze(demand.command, demand.bash ? shell::Reader::bash : shell::Reader::any_shell);
  script.moves = script.moves || demand.stays || !demand.directory.empty();
  script.stays = demand.stays;
  for (shell::Segment& segment : script.segments) segment.command.fed |= demand.is_fed;
  return script;
}

bool only_reads(const Case& wanted) {
  if (wanted.effect == Effect::read) return true;
  if (wanted.demand.command.empty() || !wanted.demand.beyond.empty()) return false;
  return shell::effects_of(wanted.script).strongest() == shell::Effect::read;
}

bool Judge::asks_by_mode(const Case& wanted) const {
  if (settings_.mode != Mode::smart) return settings_.mode == Mode::always;
  return !only_reads(wanted);
}

std::string Judge::asked_by(const Case& wanted) const {
  if (!wanted.asked_by.empty()) return wanted.asked_by;
  return asks_by_mode(wanted) ? settings_.mode_from : "";
}

shell::Exempt Judge::exempt(const Case& wanted) const {
  const bool by_mode = settings_.mode == Mode::smart && wanted.asked_by.empty();
  return by_mode && wanted.demand.beyond.empty() ? shell::Exempt::reading : shell::Exempt::harmless;
}

bool Judge::is_silent(const Case& wanted) const {
  if (!wanted.asked_by.empty() || !wanted.demand.beyond.empty() || asks_by_mode(wanted))
    return false;
  return wanted.demand.command.empty() || !commands_in(wanted.who.workspace)->restricts();
}

std::shared_ptr<const CommandPolicy> Judge::commands_in(std::string_view workspace) const {
  const std::shared_ptr<const Standing> added = grants_->added();
  const std::lock_guard lock(cache_->mutex);
  if (!cache_->policy || cache_->added != added || cache_->workspace != workspace) {
    std::vector<CommandRule> rules = settings_.commands;
    std::ranges::copy(added->commands, std::back_inserter(rules));
    cache_->policy = std::make_shared<const CommandPolicy>(CommandPolicy::make(rules, workspace));
    cache_->added = added;
    cache_->workspace = workspace;
  }
  return cache_->policy;
}

std::vector<AllowRule> Judge::matching(const Case& wanted, const JsonObject& arguments) const {
  const size_t index = registry_->index_of(wanted.tool);
  std::vector<AllowRule> found;
  auto look_at = [&](const AllowRule& rule, const std::vector<size_t>& tools) {
    if (std::ranges::binary_search(tools, index) &&
        means(rule, wanted.tool, arguments, wanted.who.workspace))
      found.push_back(rule);
  };
  for (const Compiled& each : allow_) look_at(each.rule, each.tools);
  const std::shared_ptr<const Standing> added = grants_->added();
  for (const AllowRule& rule : added->allow) {
    if (const auto tools = registry_->expand(rule.tool)) look_at(rule, *tools);
  }
  return found;
}

Judgement Judge::judge(const Case& wanted, const JsonObject& arguments) const {
  const std::vector<AllowRule> rules = matching(wanted, arguments);
  Judgement judgement{.rule_allows = !rules.empty()};
  if (!wanted.demand.command.empty())
    judge_command(wanted, judgement);
  else if (const std::string asks = asked_by(wanted); !asks.empty() && rules.empty())
    judgement.ask(asks);
  judge_ways_out(wanted, rules, judgement);
  return judgement;
}

// A rule that means the call as a whole spares the question about commands that no rule names, but
// lifts none that asks.
void Judge::judge_command(const Case& wanted, Judgement& judgement) const {
  using shell::Verdict;
  const std::string asks = asked_by(wanted);
  const std::shared_ptr<const CommandPolicy> commands = commands_in(wanted.who.workspace);
  if (!commands->restricts() && asks.empty()) return;
  if (commands->empty() && judgement.rule_allows) return;
  const bool asks_by_default = !asks.empty() && !judgement.rule_allows;
  const shell::Decision decision =
      shell::decide(wanted.script, commands->rules(),
                    {asks_by_default ? Verdict::ask : Verdict::allow, exempt(wanted)});
  if (decision.verdict == Verdict::deny) {
    judgement.denied = decision.reason;
  } else if (decision.verdict == Verdict::allow) {
    judgement.rule_allows |= !asks.empty();
  } else if (decision.rule || decision.is_beyond_bounds) {
    judgement.ask(decision.reason);
    judgement.no_rule = decision.rule ? "a rule that asks stands above those that allow"
                                      : "it has too many commands";
  } else if (!judgement.rule_allows) {
    if (!asks.empty()) judgement.ask(asks);
    judgement.ask(decision.reason);
  }
}

void Judge::judge_ways_out(const Case& wanted, const std::vector<AllowRule>& rules,
                           Judgement& judgement) const {
  std::vector<std::string> ways = wanted.demand.beyond;
  const size_t all = ways.size();
  std::erase_if(ways, [&](const std::string& way) {
    return std::ranges::find(settings_.granted, way) != settings_.granted.end();
  });
  // Whoever is asked for another reason is told where it runs.
  if (ways.size() < all && !judgement.reasons.empty())
    judgement.ask("it leaves the sandbox: " + in_words(wanted.demand.beyond));
  std::erase_if(ways, [&](const std::string& way) {
    return std::ranges::any_of(rules, [&](const AllowRule& rule) {
      return std::ranges::find(rule.beyond, way) != rule.beyond.end();
    });
  });
  const bool commands_allow =
      !ways.empty() && !wanted.demand.command.empty() &&
      shell::decide(wanted.script, commands_in(wanted.who.workspace)->letting_out(ways),
                    {shell::Verdict::ask, shell::Exempt::least})
              .verdict == shell::Verdict::allow;
  if (commands_allow) judgement.rule_allows = true;
  if (!ways.empty() && !commands_allow) judgement.ask("it leaves the sandbox: " + in_words(ways));
}

Offer Judge::offer(const Case& wanted, const AllowRule& exact, const Judgement& judgement) const {
  if (!judgement.no_rule.empty()) return {.why_not = judgement.no_rule};
  const Demand& demand = wanted.demand;
  const auto whole_call = [&] {
    return within_bounds(
        {.lines = {{std::string(kAllowList), to_yaml(exact)}}, .rules = {.allow = {exact}}});
  };
  if (demand.is_unique)
    return {.why_not =
                "what it names is there only once; write a rule with `*` in its place "
                "by hand to allow all like it"};
  if (demand.follows) return {.why_not = "where it runs depends on earlier commands"};
  if (demand.command.empty() || demand.is_particular) return whole_call();
  // Only the parts that no rule allows yet, each by itself.
  const std::shared_ptr<const CommandPolicy> commands = commands_in(wanted.who.workspace);
  const bool stays = demand.beyond.empty();
  Result<std::vector<shell::Rule>> rules = shell::narrowest_rules(
      wanted.script, stays ? commands->rules() : commands->letting_out(demand.beyond),
      stays ? exempt(wanted) : shell::Exempt::least);
  if (!rules && rules.error().type == shell::kTakesInput) return whole_call();
  if (!rules) return {.why_not = rules.error().message};
  if (rules->empty()) return {.why_not = "there is nothing in it that a rule could name"};
  Offer offer;
  for (shell::Rule& rule : *rules) {
    offer.rules.commands.push_back({std::move(rule), demand.beyond, wanted.who.workspace});
    offer.lines.push_back({std::string(kCommandList), to_yaml(offer.rules.commands.back())});
  }
  return within_bounds(std::move(offer));
}

}  // namespace helve::dispatch
