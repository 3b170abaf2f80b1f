#include "jsonata/matching.h"

#include <cmath>

#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

Fallible<bool> find(Evaluator& evaluator, const Node& node, const Regex::Subject& subject,
                    size_t from, Regex::Found& found) {
  switch (node.regex->match(subject, from, evaluator.regex_steps(), found)) {
    case Regex::Match::yes:
      return true;
    case Regex::Match::no:
      return false;
    case Regex::Match::gave_up:
      break;
  }
  return evaluator.fail(
      {.code = "D1012", .message = "a regular expression takes too long to match"});
}

std::string_view part(std::string_view text, const Regex::Span& span) {
  return text.substr(span.begin, span.end - span.begin);
}

Value group_value(std::string_view text, const std::optional<Regex::Span>& span) {
  return span ? Value::string(part(text, *span)) : Value();
}

Failed fail_empty(Evaluator& evaluator, const Node& node) {
  Problem problem{.code = "D1004", .value = std::string(node.regex->source())};
  if (node.position != Node::kNoPosition) problem.position = node.position;
  return evaluator.fail(std::move(problem));
}

// {match, start, end, groups, next}
Value found_object(Evaluator& evaluator, const Node& node, std::string_view text,
                   const Regex::Span& whole, double start, Value groups) {
  Arena& arena = evaluator.arena();
  Function* const next = arena.make<Function>(Function::Kind::next_match, -1, &node);
  next->input = Value::string(text);
  next->from = whole.end;
  Object* const object = arena.make<Object>();
  object->set("match", Value::string(part(text, whole)), arena);
  object->set("start", Value::number(start), arena);
  object->set("end", Value::number(start + static_cast<double>(count_units(part(text, whole)))),
              arena);
  object->set("groups", groups, arena);
  object->set("next", Value::of(next), arena);
  return Value::of(object);
}

}  // namespace

// A regular expression is a function from text to a match, or to nothing.
Outcome Evaluator::apply_regex(const Function& function, std::span<const Value> arguments) {
  std::string_view searched;
  size_t from = 0;
  if (function.kind == Function::Kind::next_match) {
    searched = function.input.text();
    from = function.from;
    if (from >= searched.size()) return Value();
  } else {
    const Value given = arguments.empty() ? Value() : arguments[0];
    if (given.is_undefined()) return Value();
    if (given.is_string()) {
      searched = given.text();
    } else {
      std::string written;
      TRY(append_string(given, written, false));
      searched = TRY(text(written)).text();
    }
    // Functions such as $map pass the position as well, and then the search begins there.
    if (arguments.size() > 1 && arguments[1].is_number() && arguments[1].real > 0) {
      const double units = std::floor(arguments[1].real);
      if (units > static_cast<double>(count_units(searched))) return Value();
      from = bytes_of_units(searched, static_cast<size_t>(units));
    }
  }
  Regex::Found found;
  if (!TRY(find(*this, *function.node, Regex::Subject(searched), from, found))) return Value();
  if (function.kind == Function::Kind::next_match && found.groups[0]->begin == found.groups[0]->end)
    return fail_empty(*this, *function.node);
  const Regex::Span whole = *found.groups[0];
  Items groups(arena_);
  for (size_t i = 1; i < found.groups.size(); ++i)
    groups.push(group_value(searched, found.groups[i]));
  const double start = static_cast<double>(count_units(searched.substr(0, whole.begin)));
  return found_object(*this, *function.node, searched, whole, start, groups.array());
}

Fallible<bool> Matcher::next() {
  TRY(evaluator_.tick());
  const bool is_regex = pattern_.function->kind == Function::Kind::regex;
  const bool found = is_regex ? TRY(next_of_regex()) : TRY(next_of_function());
  started_ = true;
  return found;
}

Fallible<bool> Matcher::next_of_regex() {
  const Node& node = *pattern_.function->node;
  if (started_ && match_.end >= text_.size()) return false;
  Regex::Found found;
  if (!TRY(find(evaluator_, node, subject_, started_ ? match_.end : 0, found))) return false;
  const Regex::Span whole = *found.groups[0];
  if (started_ && whole.begin == whole.end) return fail_empty(evaluator_, node);
  units_ += count_units(text_.substr(units_at_, whole.begin - units_at_));
  units_at_ = whole.begin;
  match_.text = part(text_, whole);
  match_.begin = whole.begin;
  match_.end = whole.end;
  match_.index = static_cast<double>(units_);
  match_.groups.clear();
  for (size_t i = 1; i < found.groups.size(); ++i)
    match_.groups.push_back(group_value(text_, found.groups[i]));
  return true;
}

// What a function of the user makes of the text; it must have something of a match, unless it is
// nothing or the like.
Outcome Matcher::ask(Value function, Value argument) {
  const Value result = TRY(evaluator_.apply(function, {&argument, 1}, Value::null(), frame_));
  if (!Evaluator::is_truthy(result)) return result;
  if (result.is_object() && (evaluator_.member_of(result, "start").is_number() ||
                             evaluator_.member_of(result, "groups").is_array() ||
                             evaluator_.member_of(result, "next").is_function()))
    return result;
  return evaluator_.fail("T1010");
}

Fallible<bool> Matcher::is_any() {
  if (pattern_.function->kind == Function::Kind::regex) return next();
  return !TRY(ask(pattern_, Value::string(text_))).is_undefined();
}

Fallible<bool> Matcher::next_of_function() {
  Value function = pattern_;
  Value argument = Value::string(text_);
  if (started_) {
    function = evaluator_.member_of(match_.object, "next");
    argument = Value();
  }
  const Value result = TRY(ask(function, argument));
  if (result.is_undefined() || result.type == Type::null) return false;
  if (!result.is_object()) return evaluator_.fail("T1010");
  const Value text = evaluator_.member_of(result, "match");
  const Value start = evaluator_.member_of(result, "start");
  const Value end = evaluator_.member_of(result, "end");
  const Value groups = evaluator_.member_of(result, "groups");
  const auto bytes = [this](Value units, size_t otherwise) {
    if (!units.is_number() || !(units.real >= 0)) return otherwise;
    return bytes_of_units(text_, static_cast<size_t>(std::min(units.real, 4e9)));
  };
  match_.object = result;
  match_.text = text.is_string() ? text.text() : std::string_view();
  match_.begin = bytes(start, 0);
  match_.end = std::max(bytes(end, match_.begin + match_.text.size()), match_.begin);
  match_.index = start.is_number() ? start.real : 0;
  match_.groups.clear();
  if (groups.is_array()) {
    const auto items = TRY(evaluator_.items_of(groups));
    match_.groups.assign(items.begin(), items.end());
  }
  return true;
}

Outcome Matcher::match_object() {
  if (!match_.object.is_undefined()) return match_.object;
  Items groups(evaluator_.arena());
  groups.append(match_.groups);
  return found_object(evaluator_, *pattern_.function->node, text_, {match_.begin, match_.end},
                      match_.index, groups.array());
}

}  // namespace helve::jsonata
