// Times, and whole numbers by a picture.
#include <cmath>

#include "jsonata/date_picture.h"
#include "jsonata/evaluator.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

Failed fail(Evaluator& evaluator, const PictureFault& fault) {
  return evaluator.fail({.code = fault.code, .value = fault.value});
}

Outcome format_time(Evaluator& evaluator, double millis, Value picture, Value timezone) {
  PictureFault fault;
  const auto read =
      DatePicture::read(picture.is_string() ? picture.text() : DatePicture::kIso8601, fault);
  if (!read) return fail(evaluator, fault);
  const auto text =
      read->format(millis, timezone.is_string() ? timezone.text() : std::string_view(), fault);
  if (!text) return fail(evaluator, fault);
  return evaluator.text(*text);
}

}  // namespace

Outcome now(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return format_time(evaluator, evaluator.now(), arguments[0], arguments[1]);
}

Outcome millis(Evaluator& evaluator, Arguments, const CallSite&) {
  return Value::number(evaluator.now());
}

Outcome from_millis(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return format_time(evaluator, arguments[0].real, arguments[1], arguments[2]);
}

Outcome to_millis(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  if (!arguments[1].is_string()) {
    const auto time = parse_iso8601(arguments[0].text());
    if (!time) return evaluator.fail_with("D3110", arguments[0]);
    return Value::number(*time);
  }
  PictureFault fault;
  const auto picture = DatePicture::read(arguments[1].text(), fault);
  if (!picture) return fail(evaluator, fault);
  const auto time = picture->parse(arguments[0].text(), evaluator.now(), fault);
  if (!fault.code.empty()) return fail(evaluator, fault);
  return time ? Value::number(*time) : Value();
}

Outcome format_integer(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view picture = arguments[1].is_string() ? arguments[1].text() : "";
  if (picture.size() > DatePicture::kMaxBytes) return evaluator.fail("D3130");
  std::string_view code;
  const IntegerPicture read = IntegerPicture::read(picture, code);
  const std::string text =
      code.empty() ? read.format(std::floor(arguments[0].real), code) : std::string();
  if (!code.empty()) return fail(evaluator, {code, read.token});
  return evaluator.text(text);
}

Outcome parse_integer(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const std::string_view picture = arguments[1].is_string() ? arguments[1].text() : "";
  std::string_view code;
  const IntegerPicture read = IntegerPicture::read(picture, code);
  const double number = code.empty() ? read.parse(arguments[0].text(), code) : 0;
  if (!code.empty()) return fail(evaluator, {code, read.token});
  return Value::number(number);
}

}  // namespace helve::jsonata::builtin
