#include "dispatch/approvals.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/deadlines.h"
#include "dispatch/question_text.h"

namespace helve::dispatch {
namespace {

using Mode = ApprovalSettings::Mode;
using Answer = Approver::Answer;

constexpr size_t kMaxRuleBytes = 2000;  // of a rule that people are to read

std::string in_words(std::string_view beyond) {
  if (beyond == kBeyondNetwork) return "the network";
  if (beyond == kBeyondFull) return "no sandbox";
  if (beyond.starts_with(kBeyondHost))
    return fmt::format("the host route '{}'", beyond.substr(kBeyondHost.size()));
  return fmt::format("the directory {}", beyond.substr(kBeyondRoot.size()));
}

// Tells two demands apart: a grant for a session is good for the same one only.
std::string key_of(const AllowRule& rule) { return to_yaml(rule); }

std::string place_of(const Approver::Question& question) {
  return question.file.empty() ? "your configuration" : escape_for_display(question.file);
}

// The rules that would allow the call, for whoever was refused.
std::string how_to_allow(const Approver::Question& question) {
  if (question.rules.empty()) return fmt::format("no rule can allow it: {}", question.no_rule);
  std::string out;
  for (const RuleLine& rule : question.rules) {
    out += fmt::format("{} to {} in {}: - {}", out.empty() ? "to allow it, add" : "; and",
                       rule.list, place_of(question), escape_for_display(rule.yaml));
  }
  return out;
}

Error refused(const Approver::Question& question, std::string message, std::string type) {
  return Error{Code::denied, std::move(message), how_to_allow(question), std::move(type)};
}

Error nobody(const Approver::Question& question, const Error* why) {
  std::string message = fmt::format("tool '{}' needs approval ({}), and there is nobody to ask",
                                    question.tool, question.reason);
  if (why) message += ": " + why->message;
  Error error = refused(question, std::move(message), "approval_required");
  if (why && !why->hint.empty()) error.hint += "; or " + why->hint;
  return error;
}

Error cancelled() { return Error{Code::cancelled, "the call was cancelled"}; }

}  // namespace

struct Approvals::Open {
  std::string reasons;       // why a person must be asked; empty: nobody must
  bool rule_allows = false;  // something would have asked, if there were no rule

  void add(std::string_view reason) {
    if (!reasons.empty()) reasons += "; ";
    reasons += reason;
  }
};

Approvals::Approvals(const Registry& registry, ApprovalSettings settings, Grants& grants)
    : registry_(&registry), settings_(std::move(settings)), grants_(&grants) {
  for (AllowRule& rule : settings_.allow) {
    std::vector<size_t> tools = registry.expand(rule.tool).value_or(std::vector<size_t>{});
    allow_.push_back({std::move(rule), std::move(tools)});
  }
  settings_.allow.clear();
}

Result<Approvals> Approvals::make(const Registry& registry, ApprovalSettings settings,
                                  Grants& grants) {
  for (const AllowRule& rule : settings.allow) {
    std::vector<RuleProblem> problems = problems_of(rule, registry);
    if (problems.empty()) continue;
    Error& error = problems.front().error;
    error.message = fmt::format("{}: {}: {}", kAllowList, problems.front().path, error.message);
    return std::move(error);
  }
  return Approvals(registry, std::move(settings), grants);
}

Result<void> Approvals::permit(const Case& wanted, const Asking& asking, Ruling& ruling) const {
  if (wanted.asked_by.empty() && wanted.demand.beyond.empty() && mode_reason(wanted).empty())
    return {};
  const std::string text = wanted.bound.arguments();
  const Json parsed = TRY(parse_json(text, {.bytes = text.size()}));
  const JsonObject& arguments = parsed.get_object();
  Open open = judge(wanted, arguments);
  if (open.reasons.empty()) {
    if (open.rule_allows) ruling.decided = "rule";
    return {};
  }
  const AllowRule exact = exact_rule(wanted.tool, arguments, wanted.demand, wanted.who.workspace);
  if (grants_->has(wanted.who.session, key_of(exact))) {
    ruling.decided = "session";
    return {};
  }
  return ask(question(wanted, exact, std::move(open.reasons)), exact, asking, ruling);
}

std::string Approvals::mode_reason(const Case& wanted) const {
  const bool asks = settings_.mode == Mode::always ||
                    (settings_.mode == Mode::smart && wanted.effect != Effect::read);
  return asks ? settings_.mode_from : "";
}

std::vector<AllowRule> Approvals::matching(const Case& wanted, const JsonObject& arguments) const {
  const size_t index = registry_->index_of(wanted.tool);
  std::vector<AllowRule> found;
  auto look_at = [&](const AllowRule& rule, const std::vector<size_t>& tools) {
    if (std::ranges::binary_search(tools, index) && means(rule, arguments, wanted.who.workspace))
      found.push_back(rule);
  };
  for (const Compiled& each : allow_) look_at(each.rule, each.tools);
  for (const AllowRule& rule : *grants_->added()) {
    if (const auto tools = registry_->expand(rule.tool)) look_at(rule, *tools);
  }
  return found;
}

Approvals::Open Approvals::judge(const Case& wanted, const JsonObject& arguments) const {
  const std::vector<AllowRule> rules = matching(wanted, arguments);
  const std::string asks =
      wanted.asked_by.empty() ? mode_reason(wanted) : std::string(wanted.asked_by);
  Open open;
  if (!asks.empty() && rules.empty()) open.add(asks);
  std::string outside;
  for (const std::string& way : wanted.demand.beyond) {
    const bool allowed = std::ranges::any_of(rules, [&](const AllowRule& rule) {
      return std::ranges::find(rule.beyond, way) != rule.beyond.end();
    });
    if (!allowed) outside += (outside.empty() ? "" : ", ") + in_words(way);
  }
  if (!outside.empty()) open.add("it leaves the sandbox: " + outside);
  open.rule_allows = !rules.empty();
  return open;
}

Approver::Question Approvals::question(const Case& wanted, const AllowRule& exact,
                                       std::string reason) const {
  Approver::Question question{.who = wanted.who,
                              .tool = wanted.tool.spec.name,
                              .effect = wanted.effect,
                              .arguments = wanted.bound.arguments(),
                              .demand = wanted.demand,
                              .reason = std::move(reason),
                              .file = grants_->file(),
                              .timeout = settings_.timeout};
  if (settings_.fallback == ApprovalSettings::Fallback::allow && wanted.demand.beyond.empty())
    question.on_timeout = Answer::once;
  std::string yaml = to_yaml(exact);
  if (yaml.size() <= kMaxRuleBytes)
    question.rules.push_back({std::string(kAllowList), std::move(yaml)});
  else
    question.no_rule = fmt::format("one that names exactly this call would be longer than {} bytes",
                                   kMaxRuleBytes);
  return question;
}

Result<void> Approvals::ask(const Approver::Question& question, const AllowRule& exact,
                            const Asking& asking, Ruling& ruling) const {
  if (!asking.approver) {
    ruling.decided = "nobody";
    return nobody(question, nullptr);
  }
  TRY(asking.deadlines.start());
  const auto end = std::chrono::steady_clock::now() + settings_.timeout;
  Result<Answer> answer = Answer::deny;
  {
    const Deadlines::Guard guard(asking.deadlines, end, asking.stop);
    answer = asking.approver->ask(question, guard.token());
  }
  if (asking.stop.stop_requested()) return cancelled();
  if (!answer && answer.error().type == kApprovalPending) return std::move(answer).error();
  if (!answer && answer.error().code == Code::cancelled) return timed_out(question, ruling);
  if (!answer) {
    ruling.decided = "nobody";
    return nobody(question, &answer.error());
  }
  ruling.decided = "person";
  switch (*answer) {
    case Answer::deny:
      return refused(
          question,
          fmt::format("a person refused this call of '{}' ({})", question.tool, question.reason),
          "approval_refused");
    case Answer::session:
      grants_->remember(question.who.session, key_of(exact));
      return {};
    case Answer::always:
      keep_for_ever(question, exact, ruling);
      return {};
    case Answer::once:
      return {};
  }
  return {};
}

Result<void> Approvals::timed_out(const Approver::Question& question, Ruling& ruling) const {
  ruling.decided = "fallback";
  const double seconds = std::chrono::duration<double>(settings_.timeout).count();
  if (question.on_timeout == Answer::once) {
    ruling.notes.push_back(
        fmt::format("nobody answered within {} s; approvals.fallback allows the call", seconds));
    return {};
  }
  return refused(question,
                 fmt::format("tool '{}' needs approval ({}), and nobody answered within {} s",
                             question.tool, question.reason, seconds),
                 "approval_timeout");
}

// What cannot be written still holds for this call: the person allowed it.
void Approvals::keep_for_ever(const Approver::Question& question, const AllowRule& exact,
                              Ruling& ruling) const {
  if (!question.can_be_always()) {
    ruling.notes.push_back("allowed only once: " + answer_text(question, Answer::always));
    return;
  }
  if (Result<void> written = grants_->add(question.rules, {exact}); !written) {
    ruling.notes.push_back("allowed only once, because no rule could be written: " +
                           describe(written.error()));
    return;
  }
  for (const RuleLine& line : question.rules)
    ruling.notes.push_back(
        fmt::format("added to {} in {}: - {}", line.list, place_of(question), line.yaml));
}

}  // namespace helve::dispatch
