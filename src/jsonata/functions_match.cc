// $match, $contains, $replace, $split: text and patterns.
#include <cmath>

#include "jsonata/matching.h"
#include "jsonata/unicode.h"

namespace helve::jsonata::builtin {
namespace {

bool is_negative(Value limit) { return limit.is_number() && limit.real < 0; }
bool is_within(size_t count, Value limit) {
  return limit.is_undefined() || static_cast<double>(count) < limit.real;
}

// What a replacement such as "$2, $1" stands for: groups by number, $0 the match, $$ a dollar.
void append_replacement(std::string& out, std::string_view replacement,
                        const Matcher::Match& match) {
  const size_t groups = match.groups.size();
  const size_t most_digits =
      groups == 0 ? 1 : static_cast<size_t>(std::log10(static_cast<double>(groups))) + 1;
  size_t at = 0;
  for (size_t dollar; (dollar = replacement.find('$', at)) != replacement.npos;) {
    out += replacement.substr(at, dollar - at);
    at = dollar + 1;
    const char next = at < replacement.size() ? replacement[at] : '\0';
    if (next == '$' || next == '0') {
      if (next == '$')
        out += '$';
      else
        out += match.text;
      ++at;
      continue;
    }
    size_t digits = 0, number = 0;
    const auto read = [&](size_t most) {
      digits = number = 0;
      while (digits < most && at + digits < replacement.size() && replacement[at + digits] >= '0' &&
             replacement[at + digits] <= '9')
        number = number * 10 + static_cast<size_t>(replacement[at + digits++] - '0');
    };
    read(most_digits);
    if (most_digits > 1 && digits > 0 && number > groups) read(most_digits - 1);
    if (digits == 0) {
      out += '$';
      continue;
    }
    if (number >= 1 && number <= groups && match.groups[number - 1].is_string())
      out += match.groups[number - 1].text();
    at += std::to_string(number).size();
  }
  out += replacement.substr(std::min(at, replacement.size()));
}

Outcome replace_text(Evaluator& evaluator, std::string_view text, std::string_view pattern,
                     Value replacement, Value limit) {
  std::string out;
  size_t at = 0, count = 0;
  for (size_t found; is_within(count, limit) && (found = text.find(pattern, at)) != text.npos;
       ++count) {
    TRY(evaluator.tick());
    out += text.substr(at, found - at);
    if (replacement.is_undefined())
      out += "undefined";
    else
      TRY(evaluator.append_string(replacement, out, false));
    TRY(evaluator.reserve(out.size()));
    at = found + pattern.size();
  }
  out += text.substr(at);
  return evaluator.text(out);
}

}  // namespace

// In the three that follow the match after the last one is looked for, too: whether it is empty, or
// no match at all, is told in any case.
Outcome match(Evaluator& evaluator, std::span<const Value> arguments, const CallSite& site) {
  const Value text = arguments[0], limit = arguments[2];
  if (text.is_undefined()) return text;
  if (is_negative(limit)) return evaluator.fail_with("D3040", limit, 3);
  Items results(evaluator.arena());
  Matcher matcher(evaluator, arguments[1], text.text(), site.frame);
  bool found = is_within(0, limit) && TRY(matcher.next());
  for (size_t count = 0; found && is_within(count, limit); ++count) {
    const Matcher::Match& match = matcher.match();
    Items groups(evaluator.arena());
    groups.append(match.groups);
    Object* const object = evaluator.arena().make<Object>();
    object->set("match", Value::string(match.text), evaluator.arena());
    object->set("index", Value::number(match.index), evaluator.arena());
    object->set("groups", groups.array(), evaluator.arena());
    results.push(Value::of(object));
    found = TRY(matcher.next());
  }
  return results.sequence();
}

Outcome contains(Evaluator& evaluator, std::span<const Value> arguments, const CallSite& site) {
  const Value text = arguments[0], pattern = arguments[1];
  if (text.is_undefined() || pattern.is_undefined()) return Value();
  if (pattern.is_string())
    return Value::boolean(text.text().find(pattern.text()) != std::string_view::npos);
  Matcher matcher(evaluator, pattern, text.text(), site.frame);
  return Value::boolean(TRY(matcher.is_any()));
}

Outcome replace(Evaluator& evaluator, std::span<const Value> arguments, const CallSite& site) {
  const Value subject = arguments[0], pattern = arguments[1], replacement = arguments[2],
              limit = arguments[3];
  if (subject.is_undefined()) return subject;
  if (pattern.is_string() && pattern.size == 0) return evaluator.fail_with("D3010", pattern, 2);
  if (is_negative(limit)) return evaluator.fail_with("D3011", limit, 4);
  if (limit.is_number() && limit.real == 0) return subject;
  const std::string_view text = subject.text();
  if (pattern.is_undefined()) return evaluator.fail("T1010");
  if (pattern.is_string()) return replace_text(evaluator, text, pattern.text(), replacement, limit);
  std::string out;
  size_t at = 0;
  Matcher matcher(evaluator, pattern, text, site.frame);
  bool found = is_within(0, limit) && TRY(matcher.next());
  for (size_t count = 0; found && is_within(count, limit); ++count) {
    const Matcher::Match& match = matcher.match();
    if (match.begin > at) out += text.substr(at, match.begin - at);
    if (replacement.is_string()) {
      append_replacement(out, replacement.text(), match);
    } else {
      const Value given = TRY(matcher.match_object());
      const Value value =
          replacement.is_undefined()
              ? Value()
              : TRY(evaluator.apply(replacement, {&given, 1}, Value::null(), site.frame));
      if (!value.is_string()) return evaluator.fail_with("D3012", value);
      out += value.text();
    }
    TRY(evaluator.reserve(out.size()));
    at = std::min(match.begin + match.text.size(), text.size());
    found = TRY(matcher.next());
  }
  out += text.substr(at);
  return evaluator.text(out);
}

Outcome split(Evaluator& evaluator, std::span<const Value> arguments, const CallSite& site) {
  const Value subject = arguments[0], separator = arguments[1], limit = arguments[2];
  if (subject.is_undefined()) return subject;
  if (is_negative(limit)) return evaluator.fail_with("D3020", limit, 3);
  const std::string_view text = subject.text();
  Items results(evaluator.arena());
  const Value most = limit.is_number() ? Value::number(std::trunc(limit.real)) : limit;
  const auto push = [&](std::string_view piece) { results.push(Value::string(piece)); };
  if (separator.is_undefined()) {
    if (is_within(0, most)) push(text);
    return results.array();
  }
  if (separator.is_function()) {
    size_t at = 0, count = 0;
    Matcher matcher(evaluator, separator, text, site.frame);
    bool found = is_within(0, limit) && TRY(matcher.next());
    for (; found && is_within(count, limit); ++count) {
      const Matcher::Match& match = matcher.match();
      push(text.substr(std::min(at, match.begin), match.begin - std::min(at, match.begin)));
      at = match.end;
      found = TRY(matcher.next());
    }
    if (is_within(count, limit)) push(text.substr(std::min(at, text.size())));
    return results.array();
  }
  if (separator.size == 0) {
    for (size_t at = 0; at < text.size() && is_within(results.size(), most);) {
      TRY(evaluator.tick());
      const size_t length = length_of_char(text.substr(at));
      if (length < 4) {
        push(text.substr(at, length));
      } else {
        // JavaScript takes such a character apart.
        const char32_t rest = char_at(text.substr(at)) - 0x10000;
        std::string high, low;
        append_code_point(high, 0xD800 + (rest >> 10));
        append_code_point(low, 0xDC00 + (rest & 0x3FF));
        results.push(TRY(evaluator.text(high)));
        if (is_within(results.size(), most)) results.push(TRY(evaluator.text(low)));
      }
      at += length;
    }
    return results.array();
  }
  size_t at = 0;
  while (is_within(results.size(), most)) {
    TRY(evaluator.tick());
    const size_t found = text.find(separator.text(), at);
    push(text.substr(at, found - at));
    if (found == text.npos) break;
    at = found + separator.size;
  }
  return results.array();
}

}  // namespace helve::jsonata::builtin
