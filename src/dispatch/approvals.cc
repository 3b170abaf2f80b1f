#include "dispatch/approvals.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/deadlines.h"
#include "dispatch/question_text.h"
#include "schema/schema.h"

namespace helve::dispatch {
namespace {

using Answer = Approver::Answer;

// Whether a later command of the same shell may start elsewhere, or in a new one.
bool changes_place(const Case& wanted) {
  const auto ends = [](const shell::Segment& segment) {
    return segment.command.names("exit") || segment.command.names("logout");
  };
  return wanted.demand.restarts || !wanted.script.unknowns.empty() || wanted.script.goes ||
         std::ranges::any_of(wanted.script.segments, ends);
}

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

// Without what is as it would be had nobody said it.
std::string said_arguments(const Case& wanted) {
  std::string text = wanted.bound.arguments();
  const schema::Type* const type = wanted.tool.input;
  Result<Json> said = parse_json(text, {.bytes = text.size()});
  if (!type || !said || !said->is_object()) return text;
  const Result<Json> defaults = parse_json(schema::encode_defaults(*type));
  for (const schema::Field& field : type->fields) {
    const Json* const usual = defaults ? find(*defaults, field.name) : nullptr;
    const Json* const value = find(*said, field.name);
    if (!field.required && usual && value && *usual == *value) said->get_object().erase(field.name);
  }
  return to_text(*said);
}

// Nobody is asked about what they cannot be shown whole.
Error unreadable(const Approver::Question& question) {
  Error error = refused(
      question,
      fmt::format(
          "tool '{}' needs approval ({}), and its command has {} characters: a person can be "
          "shown {}",
          question.tool, question.reason, count_chars(question.demand.command), kMaxShownCommand),
      "approval_required");
  error.hint += "; or write it to a file and run that";
  return error;
}

Error cancelled() { return Error{Code::cancelled, "the call was cancelled"}; }

}  // namespace

Result<Approvals> Approvals::make(const Registry& registry, ApprovalSettings settings,
                                  Grants& grants) {
  auto wrong = [](std::string_view where, Error error) {
    error.message = fmt::format("{}: {}", where, error.message);
    return error;
  };
  for (const AllowRule& rule : settings.allow) {
    const std::vector<RuleProblem> problems = problems_of(rule, registry);
    if (!problems.empty())
      return wrong(fmt::format("{}: {}", kAllowList, problems[0].path), problems[0].error);
  }
  for (const CommandRule& rule : settings.commands) {
    if (Result<void> right = check(rule, settings.reader); !right)
      return wrong(kCommandList, right.error());
  }
  return Approvals(registry, std::move(settings), grants);
}

Result<void> Approvals::permit(const Case& wanted, const Asking& asking, Ruling& ruling) const {
  TRY(decide(wanted, asking, ruling));
  if (wanted.demand.stays && changes_place(wanted)) grants_->note_move(wanted.who.session);
  return {};
}

std::string Approvals::key_of(const Case& wanted, const AllowRule& exact) const {
  const size_t moves = wanted.demand.stays ? grants_->moves(wanted.who.session) : 0;
  return fmt::format("{}\n{}\n{}", to_yaml(exact), moves, wanted.demand.directory);
}

// Nothing is open where a rule, or an earlier word, has decided.
Result<Approvals::Doubt> Approvals::doubt(const Case& wanted, Ruling& ruling) const {
  Doubt doubt;
  if (judge_.is_silent(wanted)) return doubt;
  const std::string text = wanted.bound.arguments();
  const Json parsed = TRY(parse_json(text, {.bytes = text.size()}));
  const JsonObject& arguments = parsed.get_object();
  doubt.judgement = judge_.judge(wanted, arguments);
  if (!doubt.is_open()) {
    if (!doubt.judgement.denied.empty() || doubt.judgement.rule_allows) ruling.decided = "rule";
    return doubt;
  }
  const AllowRule exact = exact_rule(wanted.tool, arguments, wanted.demand, wanted.who.workspace);
  doubt.keys = {key_of(wanted, exact)};
  const bool is_allowed = !wanted.allowed_by.empty();
  if (is_allowed || grants_->has(wanted.who.session, doubt.keys.front())) {
    ruling.decided = is_allowed ? wanted.allowed_by : "session";
    return Doubt{};
  }
  doubt.offer = judge_.offer(wanted, exact, doubt.judgement);
  return doubt;
}

Result<void> Approvals::decide(const Case& wanted, const Asking& asking, Ruling& ruling) const {
  Doubt doubt = TRY(this->doubt(wanted, ruling));
  if (!doubt.judgement.denied.empty())
    return Error{Code::denied, fmt::format("the command is denied: {}", doubt.judgement.denied),
                 "use another command, or change that rule", "forbidden_command"};
  if (!doubt.is_open()) return {};
  Demand demand = wanted.demand;
  Effect effect = wanted.effect;
  bool is_for_both = false;
  if (wanted.inner) {
    Ruling of_inner;
    Doubt inner = TRY(this->doubt(*wanted.inner, of_inner));
    // What is denied says so itself, when it is called.
    if (inner.is_open()) {
      is_for_both = true;
      demand = wanted.inner->demand;
      effect = std::max(effect, wanted.inner->effect);
      doubt.judgement.ask(
          fmt::format("{}: {}", wanted.inner->tool.spec.name, inner.judgement.reasons));
      std::ranges::move(inner.keys, std::back_inserter(doubt.keys));
      doubt.offer = both(std::move(doubt.offer), std::move(inner.offer));
    }
  }
  // Whatever it reads may be gone when the question is shown.
  const std::function about = std::exchange(demand.about, {});
  const bool may_fall_back = judge_.settings().fallback == ApprovalSettings::Fallback::allow;
  const Approver::Question question{
      .who = wanted.who,
      .tool = wanted.tool.spec.name,
      .effect = effect,
      .arguments = said_arguments(wanted),
      .demand = demand,
      .about = about ? about() : std::vector<std::string>(),
      .reason = doubt.judgement.reasons,
      .rules = doubt.offer.lines,
      .no_rule = doubt.offer.why_not,
      .file = grants_->file(),
      .timeout = judge_.settings().timeout,
      .on_timeout = may_fall_back && demand.beyond.empty() && demand.is_confined ? Answer::once
                                                                                 : Answer::deny};
  TRY(ask(question, doubt, asking, ruling));
  ruling.allows_inner = is_for_both;
  return {};
}

Result<void> Approvals::ask(const Approver::Question& question, const Doubt& doubt,
                            const Asking& asking, Ruling& ruling) const {
  if (!asking.approver) {
    ruling.decided = "nobody";
    return nobody(question, nullptr);
  }
  if (count_chars(question.demand.command) > kMaxShownCommand) {
    ruling.decided = "nobody";
    return unreadable(question);
  }
  TRY(asking.deadlines.start());
  const auto end = std::chrono::steady_clock::now() + judge_.settings().timeout;
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
      for (const std::string& key : doubt.keys) grants_->remember(question.who.session, key);
      return {};
    case Answer::always:
      keep_for_ever(question, doubt.offer.rules, ruling);
      return {};
    case Answer::once:
      return {};
  }
  return {};
}

Result<void> Approvals::timed_out(const Approver::Question& question, Ruling& ruling) const {
  ruling.decided = "fallback";
  const double seconds = std::chrono::duration<double>(judge_.settings().timeout).count();
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
void Approvals::keep_for_ever(const Approver::Question& question, const Standing& rules,
                              Ruling& ruling) const {
  if (!question.can_be_always()) {
    ruling.notes.push_back("allowed only once: " + answer_text(question, Answer::always));
    return;
  }
  if (Result<void> written = grants_->add(question.rules, rules); !written) {
    ruling.notes.push_back("allowed only once, because no rule could be written: " +
                           describe(written.error()));
    return;
  }
  for (const RuleLine& line : question.rules)
    ruling.notes.push_back(
        fmt::format("added to {} in {}: - {}", line.list, place_of(question), line.yaml));
}

}  // namespace helve::dispatch
