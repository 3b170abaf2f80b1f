// Arguments that a model wrote: they become an object or an error, and what was cut off is never
// completed.
#include "dispatch/arguments.h"

#include "base/text.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

constexpr size_t kMostPrefixes = 200;  // bytes of a text whose every prefix is tried

void check_strict(std::string_view text, const Result<dispatch::Arguments>& arguments) {
  const Result<Json> strict = parse_json(text);
  if (!strict) return;
  // null means none; a string may hold the object.
  if (strict->is_null() || strict->is_string()) return;
  expect(arguments.has_value() == strict->is_object(),
         "valid JSON is taken exactly when it is an object");
  if (!arguments) return;
  expect(arguments->repairs.empty(), "nothing is repaired that is right");
  expect(to_text(arguments->value) == to_text(*strict), "what is right is taken as it is");
  text = trim(text);
  if (text.size() > kMostPrefixes) return;
  for (size_t size = 1; size < text.size(); ++size) {
    expect(!dispatch::parse_arguments(text.substr(0, size)), "what was cut off is refused",
           text.substr(0, size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Result<dispatch::Arguments> arguments = dispatch::parse_arguments(text);
  if (arguments) {
    expect(arguments->value.is_object(), "arguments are an object");
    for (const std::string& repair : arguments->repairs)
      expect(!repair.empty(), "every repair is named");
    expect(parse_json(to_text(arguments->value)).has_value(), "repaired arguments are JSON");
    expect(!arguments->repairs.empty() || trim(text).empty() || parse_json(text),
           "every repair is reported");
  } else {
    expect(!arguments.error().message.empty() && is_utf8(arguments.error().message),
           "an error says what is wrong");
  }
  check_strict(text, arguments);
  return 0;
}
