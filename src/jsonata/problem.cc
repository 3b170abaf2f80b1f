#include "jsonata/problem.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

constexpr size_t kShownChars = 120;  // of a value in a message

// {value}, {other}, {token} and {index} are filled in.
struct Sentence {
  std::string_view code;
  std::string_view text;
};
constexpr Sentence kSentences[] = {
    {"S0101", "this string has no closing quote"},
    {"S0102", "the number {token} is out of range"},
    {"S0103", "\\{token} is no escape sequence"},
    {"S0104", "\\u needs 4 hexadecimal digits"},
    {"S0105", "this quoted name has no closing backquote (`)"},
    {"S0106", "this comment has no end (*/)"},
    {"S0201", "'{token}' is not expected here"},
    {"S0202", "expected '{value}', found '{token}'"},
    {"S0203", "expected '{value}' before the end of the expression"},
    {"S0204", "there is no operator '{token}'"},
    {"S0206", "'{token}' is no expression"},
    {"S0207", "the expression ends too early"},
    {"S0208", "parameter {value} of a function definition must be a variable such as $x"},
    {"S0209", "a predicate cannot follow a grouping in the same step"},
    {"S0210", "a step can have only one grouping"},
    {"S0211", "'{token}' cannot stand before a value"},
    {"S0212", "the left side of := must be a variable such as $x"},
    {"S0213", "the literal {value} cannot be a step of a path"},
    {"S0214", "the right side of {token} must be a variable such as $x"},
    {"S0215", "@$variable must come before the predicates of its step"},
    {"S0216", "@$variable must come before the ordering of its step"},
    {"S0217", "what the parent operator % refers to cannot be told from this expression"},
    {"S0301", "a regular expression must not be empty"},
    {"S0302", "this regular expression has no closing /"},
    {"S0303", "this regular expression cannot be used: {value}"},
    {"S0401", "only functions and arrays take a type parameter in a signature"},
    {"S0402", "a choice of types in a signature must not have type parameters"},
    {"T0410", "argument {index} of {token} is not of a type that it takes"},
    {"T0411", "the context is not of a type that {token} takes as argument {index}"},
    {"T0412", "argument {index} of {token} must be an array of {other}"},
    {"D1001", "the number {value} is out of range"},
    {"D1002", "{value} is no number, so it cannot be negated"},
    {"T1003", "the key of an object must be a string, not {value}"},
    {"D1004", "the regular expression matches an empty string over and over"},
    {"T1005", "this is not a function; did you mean ${token}?"},
    {"T1006", "this is not a function"},
    {"T1007", "this is not a function, so it cannot be partially applied; did you mean ${token}?"},
    {"T1008", "this is not a function, so it cannot be partially applied"},
    {"D1009", "two keys of the object are the same: {value}"},
    {"T1010", "the function that {token} matches with did not return match, start, end and next"},
    {"D1011",
     "the evaluation is nested too deeply; a recursion may not end, or a tail call may help"},
    {"D1012", "the evaluation took longer than {value} milliseconds; a loop may not end"},
    {"D1013", "the key {value} is reserved"},
    {"T2001", "the left side of {token} must be a number"},
    {"T2002", "the right side of {token} must be a number"},
    {"T2003", "the left side of the range .. must be a whole number"},
    {"T2004", "the right side of the range .. must be a whole number"},
    {"T2006", "the right side of ~> must be a function"},
    {"T2007", "cannot order {value} and {other}, which are of different types"},
    {"T2008", "an ordering needs numbers or strings"},
    {"T2009", "{token} compares values of one type, not {value} and {other}"},
    {"T2010", "{token} compares numbers or strings"},
    {"T2011", "the update of a transform must be an object, not {value}"},
    {"T2012", "what a transform deletes must be a string or an array of strings, not {value}"},
    {"T2013", "a transform copies with $clone, which is no function here"},
    {"D2014", "a range has at most 10 million numbers, not {value}"},
    {"D2016", "the evaluation needs more than {value} of memory"},
    {"D3001", "a number that is not finite has no text"},
    {"D3010", "the second argument of $replace must not be empty"},
    {"D3011", "the fourth argument of $replace must not be negative"},
    {"D3012", "a match can only be replaced with a string"},
    {"D3020", "the third argument of $split must not be negative"},
    {"D3030", "{value} cannot be read as a number"},
    {"D3040", "the third argument of $match must not be negative"},
    {"D3050", "$reduce needs a function of at least two parameters"},
    {"D3060", "the square root of the negative number {value} is no number"},
    {"D3061", "{value} to the power of {other} is too large for a number"},
    {"D3070", "without a function, $sort takes an array of strings or an array of numbers"},
    {"D3080", "the picture has more than two parts"},
    {"D3081", "a part of the picture has more than one decimal separator"},
    {"D3082", "a part of the picture has more than one percent sign"},
    {"D3083", "a part of the picture has more than one per-mille sign"},
    {"D3084", "a part of the picture has both a percent and a per-mille sign"},
    {"D3085", "a part of the picture needs a digit in its mantissa"},
    {"D3086", "a part of the picture has other characters between its digits"},
    {"D3087", "a part of the picture has a grouping separator beside the decimal separator"},
    {"D3088", "a part of the picture ends its integer part with a grouping separator"},
    {"D3089", "a part of the picture has two grouping separators side by side"},
    {"D3090", "an optional digit cannot follow a mandatory one before the decimal separator"},
    {"D3091", "a mandatory digit cannot follow an optional one after the decimal separator"},
    {"D3092", "a part of the picture cannot have an exponent and a percent or per-mille sign"},
    {"D3093", "the exponent in a picture must consist of mandatory digits"},
    {"D3100", "the radix of $formatBase must be from 2 to 36, not {value}"},
    {"D3110", "{value} is no ISO 8601 timestamp"},
    {"D3120", "the expression given to $eval is wrong: {value}"},
    {"D3121", "the expression given to $eval failed: {value}"},
    {"D3130", "numbering such as {value} is not supported"},
    {"D3131", "the digits of a picture must be of one script"},
    {"D3132", "{value} is no component of a date or time"},
    {"D3133", "{value} of a date or time has no name"},
    {"D3134", "a timezone has at most four digits"},
    {"D3135", "a marker in the date picture has no closing ']'"},
    {"D3136", "the date picture leaves out what is needed to read a timestamp"},
    {"D3138", "$single found more than one match"},
    {"D3139", "$single found no match"},
    {"D3140", "Malformed URL passed to ${other}(): {value}"},
};

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

}  // namespace

std::string message_of(const Problem& problem) {
  if (!problem.message.empty()) return problem.message;
  const auto* const sentence = std::ranges::find(kSentences, problem.code, &Sentence::code);
  if (sentence == std::end(kSentences)) return std::string(problem.code);
  std::string text(sentence->text);
  replace_all(text, "{index}", std::to_string(problem.index));
  replace_all(text, "{token}", preview(problem.token.value_or("it"), kShownChars));
  replace_all(text, "{other}", preview(problem.other, kShownChars));
  replace_all(text, "{value}", preview(problem.value, kShownChars));
  return text;
}

Error to_error(const Problem& problem, std::string_view source) {
  JsonObject details{{"code", problem.code}};
  std::string place;
  if (problem.position) {
    const size_t position = count_units(source.substr(0, *problem.position));
    details["position"] = position;
    place = fmt::format(" at position {}", position);
  }
  if (problem.token) details["token"] = *problem.token;
  if (!problem.value.empty()) details["value"] = problem.value;
  const bool out_of_time = problem.code == "D1012";
  const bool too_large = problem.code == "D2016" || problem.code == "D1011";
  return Error{out_of_time ? Code::timeout
               : too_large ? Code::too_large
                           : Code::invalid_argument,
               fmt::format("{}{}: {}", problem.code, place, message_of(problem)), "",
               std::string(problem.code), std::move(details)};
}

}  // namespace helve::jsonata
