#include "shell/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "shell/effect.h"
#include "shell/pattern.h"
#include "shell/variables.h"

namespace helve::shell {
namespace {

std::string shown(std::string_view text) { return preview(escape_for_display(text), kMaxShown); }

// What the rules say about one segment.
struct Finding {
  std::optional<Verdict> verdict;  // none: no rule is about it
  std::optional<size_t> rule;
  bool certain = true;
};

// Whether a rule that allows is about all of the segment.
bool covers(const Pattern& pattern, const Segment& segment, Exempt exempt) {
  return allows(pattern, segment) &&
         (exempt != Exempt::least || names_input(pattern, segment.command));
}

Finding find_rule(const Segment& segment, const Rules& rules, Exempt exempt) {
  Finding found;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Verdict verdict = rules[i].verdict;
    if (verdict == Verdict::allow) {
      if (!found.verdict && covers(rules.pattern(i), segment, exempt)) found = {verdict, i};
      continue;
    }
    const Match match = concerns(rules.pattern(i), segment);
    if (match == Match::no) continue;
    const Finding next{match == Match::yes ? verdict : Verdict::ask, i, match == Match::yes};
    if (!found.verdict || *next.verdict > *found.verdict ||
        (*next.verdict == *found.verdict && next.certain && !found.certain))
      found = next;
  }
  return found;
}

// `export A=b`, whose variables are judged with the commands that get them.
bool only_exports(const Command& command) {
  return command.names("export") &&
         std::all_of(command.words.begin() + 1, command.words.end(), [](const Word& word) {
           return word.literal() && !word.text.starts_with('-') && word.text.contains('=');
         });
}

// Nothing of its own that a rule would have to name.
bool is_harmless(const Segment& segment, const Analysis& script, Exempt exempt) {
  const Command& command = segment.command;
  if (segment.transparent) return true;  // what it runs has its environment and redirections
  if (script.stays && segment.exports) return false;  // later commands are not seen here
  if (!command.words.empty() && !only_exports(command)) return false;
  if (exempt == Exempt::least)
    return command.redirections.empty() &&
           std::ranges::all_of(command.assignments, &Word::literal, &Assignment::value);
  return std::ranges::none_of(command.redirections, [](const Redirection& redirection) {
    return redirection.writes() || redirection.may_connect();
  });
}

// Segments that need a rule, and what the rules say about all of them.
class Judge {
 public:
  Judge(const Analysis& script, const Rules& rules, Exempt exempt)
      : script_(script), exempt_(exempt), runs_others_(script.segments.size()) {
    for (const Segment& segment : script.segments) {
      findings_.push_back(find_rule(segment, rules, exempt));
      const bool allowed = findings_.back().verdict == Verdict::allow;
      is_any_allowed_ = is_any_allowed_ || allowed;
      covered_.push_back(allowed || (segment.parent != Segment::kNone && covered_[segment.parent]));
      if (segment.parent != Segment::kNone) runs_others_[segment.parent] = true;
    }
  }

  const Finding& finding(size_t segment) const { return findings_[segment]; }
  // Whether the rules may let all of it pass: what runs nothing is let out of no sandbox.
  bool is_enough() const { return exempt_ != Exempt::least || is_any_allowed_; }
  // No rule allows it, and neither does one that allows what runs it.
  bool is_open(size_t segment) const {
    return !covered_[segment] && !findings_[segment].verdict && !is_exempt(segment);
  }

 private:
  bool is_exempt(size_t at) const {
    const Segment& segment = script_.segments[at];
    // A wrapper of nothing that was seen is no wrapper.
    if (exempt_ == Exempt::least && segment.transparent && !runs_others_[at]) return false;
    return is_harmless(segment, script_, exempt_) ||
           (exempt_ == Exempt::reading && only_reads(segment));
  }
  bool only_reads(const Segment& segment) const {
    const Analysis alone{.segments = {segment}, .moves = script_.moves, .stays = script_.stays};
    return effects_of(alone).strongest() == Effect::read;
  }

  const Analysis& script_;
  const Exempt exempt_;
  std::vector<Finding> findings_;
  std::vector<bool> covered_;      // a rule allows it or what runs it
  std::vector<bool> runs_others_;  // that were found
  bool is_any_allowed_ = false;
};

std::string reason_of(const Rule& rule, const Finding& finding, std::string_view segment) {
  const std::string_view verb = rule.verdict == Verdict::deny ? "denies" : "asks about";
  std::string text = finding.certain ? fmt::format("a rule {} '{}'", verb, shown(rule.pattern))
                                     : fmt::format("'{}' may turn out to be what a rule {}: '{}'",
                                                   segment, verb, shown(rule.pattern));
  if (!rule.reason.empty()) text += fmt::format(" ({})", shown(rule.reason));
  return text;
}

// What an allow must not match is tried as bash reads it, which takes more for known than others.
std::optional<Error> wrong_example(const Rules& rules, size_t index, Reader reader) {
  const Rule& rule = rules[index];
  const bool allow = rule.verdict == Verdict::allow;
  const auto decides = [&](const std::string& example, Reader reader) {
    const Rules alone = *Rules::make({{.pattern = rule.pattern, .verdict = rule.verdict}});
    const Decision decision =
        decide(analyze(example, reader), alone, allow ? Verdict::ask : Verdict::allow);
    return decision.verdict == rule.verdict && (allow || decision.rule.has_value());
  };
  const auto error = [&](const std::string& example, std::string_view what) {
    return Error{
        Code::invalid_argument,
        fmt::format("the rule '{}' {} its example '{}'", shown(rule.pattern), what, shown(example)),
        "change the pattern or the example", "invalid_rule"};
  };
  for (const std::string& example : rule.match) {
    if (!decides(example, reader)) return error(example, "does not decide");
  }
  for (const std::string& example : rule.not_match) {
    if (decides(example, Reader::bash)) return error(example, "must not decide, but does,");
  }
  return std::nullopt;
}

std::string too_much(const Analysis& script, const Rules& rules) {
  if (script.segments.size() * rules.size() <= kMaxComparisons) return "";
  return fmt::format("{} commands are too many to be held against {} rules", script.segments.size(),
                     rules.size());
}

Result<void> check_literal(const Word& word) {
  if (word.literal()) return {};
  return Error{
      Code::unsupported,
      fmt::format("'{}' cannot be named: it is {}", shown(word.text), name_of(word.varies)),
      "allow it once, or write a rule by hand", "no_rule"};
}

// A rule cannot name text and pipes. That does not matter to a program that only reads.
Result<void> check_input(const Command& command, bool only_reads) {
  const bool is_named =
      !command.fed && std::ranges::none_of(command.redirections, &Redirection::is_text);
  if (is_named || only_reads) return {};
  return Error{Code::unsupported,
               fmt::format("no rule can name the input of '{}'", describe(command)),
               "allow it once, or the whole call", std::string(kTakesInput)};
}

// The command as a pattern that stands for nothing else.
Result<std::string> exact_pattern(const Segment& segment, Exempt exempt) {
  const Command& command = segment.command;
  const bool only_reads = effects_of({.segments = {segment}}).strongest() == Effect::read;
  TRY(check_input(command, only_reads));
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!text.empty()) text += ' ';
    text += part;
  };
  for (const Assignment& assignment : command.assignments) {
    if (influence_of(assignment.name, assignment.value) == Influence::none) continue;
    TRY(check_literal(assignment.value));
    add(fmt::format("{}={}", assignment.name, quoted_word(assignment.value.text, false)));
  }
  for (const Word& word : command.words) {
    TRY(check_literal(word));
    add(quoted_word(word.text, &word == &command.words[0]));
  }
  for (const Redirection& redirection : command.redirections) {
    const bool is_named = redirection.writes() || redirection.may_connect() ||
                          (redirection.reads() && (exempt == Exempt::least || !only_reads));
    if (!is_named) continue;
    TRY(check_literal(redirection.target));
    add(describe(redirection));
  }
  return text;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return verdict == Verdict::allow ? "allow" : verdict == Verdict::ask ? "ask" : "deny";
}

Result<Rules> Rules::make(std::vector<Rule> rules, Reader reader) {
  if (rules.size() > kMaxRules)
    return Error{Code::too_large, fmt::format("more than {} rules for commands", kMaxRules),
                 "join some with *", "invalid_rule"};
  Rules made;
  for (const Rule& rule : rules) made.patterns_.push_back(TRY(read_pattern(rule.pattern)));
  made.rules_ = std::move(rules);
  for (size_t i = 0; i < made.size(); ++i) {
    if (std::optional<Error> error = wrong_example(made, i, reader)) return std::move(*error);
  }
  return made;
}

Decision decide(std::string_view script, const Rules& rules, Otherwise otherwise) {
  return decide(analyze(script), rules, otherwise);
}

Decision decide(const Analysis& script, const Rules& rules, Otherwise otherwise) {
  if (const std::string much = too_much(script, rules); !much.empty())
    return {.verdict = Verdict::ask, .reason = much, .is_beyond_bounds = true};
  Decision decision{.reason =
                        script.segments.empty() ? "nothing runs" : "every command is allowed"};
  const Judge judge(script, rules, otherwise.exempt);
  for (size_t i = 0; i < script.segments.size(); ++i) {
    const Finding& finding = judge.finding(i);
    if (!finding.verdict || *finding.verdict <= decision.verdict) continue;
    const std::string segment = describe(script.segments[i].command);
    decision = {*finding.verdict, reason_of(rules[*finding.rule], finding, segment), segment,
                finding.rule};
  }
  if (decision.verdict < Verdict::ask && !script.unknowns.empty()) {
    const Unknown& unknown = script.unknowns[0];
    decision = {Verdict::ask, fmt::format("cannot tell what it runs: {}", shown(unknown.reason))};
  }
  for (size_t i = 0; i < script.segments.size() && decision.verdict < otherwise.verdict; ++i) {
    if (!judge.is_open(i)) continue;
    const std::string segment = describe(script.segments[i].command);
    decision = {otherwise.verdict, fmt::format("no rule allows '{}'", segment), segment};
  }
  if (decision.verdict < otherwise.verdict && !judge.is_enough())
    decision = {otherwise.verdict, "there is no command that a rule allows"};
  return decision;
}

Result<std::vector<Rule>> narrowest_rules(std::string_view script, const Rules& present,
                                          Exempt exempt) {
  return narrowest_rules(analyze(script), present, exempt);
}

Result<std::vector<Rule>> narrowest_rules(const Analysis& script, const Rules& present,
                                          Exempt exempt) {
  if (!script.unknowns.empty())
    return Error{Code::unsupported, shown(script.unknowns[0].reason), "allow it once", "no_rule"};
  if (const std::string much = too_much(script, present); !much.empty())
    return Error{Code::too_large, much, "allow it once", "no_rule"};
  const Judge judge(script, present, exempt);
  std::vector<Rule> rules;
  std::vector<bool> covered(script.segments.size());
  for (size_t i = 0; i < script.segments.size(); ++i) {
    const Segment& segment = script.segments[i];
    covered[i] = segment.parent != Segment::kNone && covered[segment.parent];
    if (covered[i] || !judge.is_open(i)) continue;
    if (rules.size() >= kMaxNarrowest)
      return Error{Code::too_large, fmt::format("it would take more than {} rules", kMaxNarrowest),
                   "allow it once", "no_rule"};
    covered[i] = true;
    std::string pattern = TRY(exact_pattern(segment, exempt));
    if (std::ranges::find(rules, pattern, &Rule::pattern) == rules.end())
      rules.push_back({.pattern = std::move(pattern), .verdict = Verdict::allow});
  }
  // A rule that allowed more or less than it names would be worse than none.
  std::vector<Rule> all = rules;
  for (size_t i = 0; i < present.size(); ++i) all.push_back(present[i]);
  const Rules tried = TRY(Rules::make(std::move(all)));
  const Decision decision = decide(script, tried, {Verdict::ask, exempt});
  if (decision.verdict == Verdict::allow) return rules;
  return Error{Code::unsupported, decision.reason, "allow it once", "no_rule"};
}

}  // namespace helve::shell
