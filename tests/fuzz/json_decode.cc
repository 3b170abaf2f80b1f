// JSON from outside, into a value that has a field of every kind, and back.
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "schema/schema.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;
using schema::arg;
using schema::object;
using schema::opt;

enum class Color { red, green, blue };

struct Point {
  std::int64_t x = 0;
  std::optional<double> y;

  static constexpr auto schema() {
    return object("A point.", arg<&Point::x>("Across"), opt<&Point::y>("Up"));
  }
};

struct Everything {
  std::string name;
  bool flag = true;
  std::int64_t count = 7;
  std::uint8_t small = 1;
  std::uint64_t large = 2;
  double ratio = 0.5;
  Color color = Color::green;
  Point point;
  std::vector<Point> points;
  std::map<std::string, std::vector<std::string>> words;
  std::optional<std::string> note;
  Json anything;

  static constexpr auto schema() {
    return object("One of each.",
                  arg<&Everything::name>("A word").min_length(1).max_length(20).pattern("^[a-z]+$"),
                  opt<&Everything::flag>(""), opt<&Everything::count>("").min(-5).max(100),
                  opt<&Everything::small>(""), opt<&Everything::large>(""),
                  opt<&Everything::ratio>("").min_number(0).max_number(1e9),
                  opt<&Everything::color>(""), opt<&Everything::point>(""),
                  opt<&Everything::points>("").max_length(5),
                  opt<&Everything::words>("").max_length(5),
                  opt<&Everything::note>("").max_length(20), opt<&Everything::anything>(""));
  }
};

// A number alone is the nearest that there is, as the C library finds it.
void check_number(std::string_view text, const Json& json) {
  const double* number = json.if_double();
  if (number)
    expect(*number == std::strtod(std::string(text).c_str(), nullptr), "a number is read exactly",
           text);
}

void check_text(const Json& json) {
  const std::string text = to_text(json);
  expect(is_utf8(text) && text.find('\n') == text.npos, "written JSON is valid UTF-8 on one line",
         text);
  const Result<Json> again = parse_json(text);
  expect(again.has_value(), "written JSON can be read", text);
  expect(to_text(*again) == text, "writing what was read gives the same text", text);
  const Result<Json> pretty = parse_json(to_pretty(json));
  expect(pretty && to_text(*pretty) == text, "indentation does not change the value", text);
}

void check_decoding(const Json& json) {
  const Result<Everything> decoded = schema::decode<Everything>(json);
  if (!decoded) {
    const Error& error = decoded.error();
    expect(error.code == Code::invalid_argument && !error.message.empty(),
           "a wrong value is called wrong");
    expect(is_utf8(error.message), "a message is valid UTF-8", error.message);
    expect(error.details.is_array() && !error.details.get_array().empty(),
           "every problem is listed");
    return;
  }
  std::vector<schema::Problem> problems;
  schema::check(schema::kType<Everything>, &*decoded, problems);
  expect(problems.empty(), "what was decoded keeps its bounds");
  const std::string text = schema::encode(*decoded);
  const Result<Json> encoded = parse_json(text);
  expect(encoded.has_value(), "what is encoded is JSON", text);
  const Result<Everything> again = schema::decode<Everything>(*encoded);
  expect(again.has_value(), "what is encoded can be decoded", text);
  expect(schema::encode(*again) == text, "decoding and encoding change nothing", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Json> json = parse_json(fuzz::text_of(data, size), {.bytes = 1u << 20, .depth = 32});
  if (!json) {
    expect(!json.error().message.empty() && is_utf8(json.error().message),
           "an error says what is wrong");
    return 0;
  }
  check_number(fuzz::text_of(data, size), *json);
  check_text(*json);
  check_decoding(*json);
  return 0;
}
