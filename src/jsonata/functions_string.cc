// Functions on strings that need no patterns.
#include <algorithm>
#include <cmath>

#include "jsonata/evaluator.h"
#include "jsonata/letter_case.h"
#include "jsonata/unicode.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

// As JavaScript's slice reads a bound: whole, negative ones from the end, within the length.
size_t slice_bound(double bound, size_t length) {
  const double size = static_cast<double>(length);
  if (std::isnan(bound)) return 0;
  bound = std::trunc(bound);
  if (bound < 0) bound = std::max(bound + size, 0.0);
  return static_cast<size_t>(std::min(bound, size));
}

std::string_view slice(std::string_view text, size_t begin, size_t end) {
  if (begin >= end) return {};
  const size_t first = bytes_of_code_points(text, begin);
  return text.substr(first, bytes_of_code_points(text.substr(first), end - begin));
}

}  // namespace

Outcome string(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const Value value = arguments[0];
  if (value.is_undefined() || value.is_string()) return value;
  const bool pretty = arguments[1].type == Type::boolean && arguments[1].truth;
  std::string out;
  TRY(evaluator.append_string(value, out, pretty));
  return evaluator.text(out);
}

Outcome substring(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view text = arguments[0].text();
  const size_t length = count_code_points(text);
  const double size = static_cast<double>(length);
  double start = arguments[1].is_number() ? arguments[1].real : NAN;
  if (size + start < 0) start = 0;
  if (!arguments[2].is_number())
    return Value::string(slice(text, slice_bound(start, length), length));
  const double count = arguments[2].real;
  if (count <= 0) return Value::string("");
  const double end = start >= 0 ? start + count : size + start + count;
  return Value::string(slice(text, slice_bound(start, length), slice_bound(end, length)));
}

Outcome substring_before(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view text = arguments[0].text();
  const size_t at =
      arguments[1].is_string() ? text.find(arguments[1].text()) : text.find("undefined");
  return at == text.npos ? arguments[0] : Value::string(text.substr(0, at));
}

Outcome substring_after(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view text = arguments[0].text();
  if (!arguments[1].is_string()) return arguments[0];
  const size_t at = text.find(arguments[1].text());
  return at == text.npos ? arguments[0] : Value::string(text.substr(at + arguments[1].size));
}

Outcome lowercase(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return evaluator.text(lower_case(arguments[0].text()));
}

Outcome uppercase(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return evaluator.text(upper_case(arguments[0].text()));
}

Outcome length(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::number(static_cast<double>(count_code_points(arguments[0].text())));
}

// One space for each run of them, and none at the ends.
Outcome trim(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  std::string out;
  for (const char c : arguments[0].text()) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return evaluator.text(out);
}

Outcome pad(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view text = arguments[0].text();
  const double width = arguments[1].is_number() ? std::trunc(arguments[1].real) : 0;
  const double missing = std::abs(width) - static_cast<double>(count_code_points(text));
  if (!(missing > 0)) return arguments[0];
  std::string_view filler = arguments[2].is_string() ? arguments[2].text() : std::string_view();
  if (filler.empty()) filler = " ";
  if (missing > static_cast<double>(evaluator.limits().memory))
    return evaluator.reserve(evaluator.limits().memory + 1).error();
  const size_t characters = count_code_points(filler);
  const size_t wanted = static_cast<size_t>(missing);
  TRY(evaluator.reserve((wanted / characters + 1) * filler.size() + text.size()));
  std::string padding;
  for (size_t i = 0; i < wanted / characters; ++i) padding += filler;
  padding += filler.substr(0, bytes_of_code_points(filler, wanted % characters));
  return evaluator.text(width > 0 ? std::string(text) + padding : padding + std::string(text));
}

Outcome join(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view separator =
      arguments[1].is_string() ? arguments[1].text() : std::string_view();
  std::string out;
  bool any = false;
  ItemCursor items(evaluator, arguments[0]);
  for (Value item; items.next(item);) {
    TRY(evaluator.tick());
    if (std::exchange(any, true)) out += separator;
    out += item.text();
    TRY(evaluator.reserve(out.size()));
  }
  return evaluator.text(out);
}

}  // namespace helve::jsonata::builtin
