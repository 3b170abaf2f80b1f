// A config file: YAML becomes settings or problems with a line, and nothing in between.
#include <algorithm>

#include "base/text.h"
#include "config/add_items.h"
#include "config/layer.h"
#include "config/settings.h"
#include "config/yaml.h"
#include "schema/schema.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

void check_settings(const Json& value) {
  const Result<config::Settings> settings = schema::decode<config::Settings>(value);
  if (!settings) {
    expect(!settings.error().message.empty() && is_utf8(settings.error().message),
           "an error says what is wrong");
    return;
  }
  const std::string text = schema::encode(*settings);
  const Result<Json> again = parse_json(text);
  expect(again.has_value(), "settings are JSON", text);
  expect(schema::decode<config::Settings>(*again).has_value(), "settings can be read again", text);

  std::vector<std::string> notices;
  const config::Layer narrow = config::narrowed({.source = "a file", .value = value}, {}, notices);
  expect(schema::decode<config::Settings>(narrow.value).has_value(), "what narrows is valid",
         to_text(narrow.value));
}

// An item that is added changes nothing else: what was there still is, byte for byte and in order.
void check_adding(std::string_view text, const Json& before) {
  constexpr std::string_view kItem = "{tool: write}";
  const config::NewItem item{"approvals.allow", std::string(kItem)};
  const Result<std::string> added = config::with_items(text, {&item, 1});
  if (!added) return;
  const config::YamlDocument after = config::parse_yaml(*added);
  expect(after.problems.empty(), "a text with an item is a text", *added);
  Json value = after.value;
  JsonArray& list = value.at("approvals").at("allow").as_array();
  expect(!list.empty() && to_text(list.back()) == R"({"tool":"write"})", "the item is the last one",
         *added);
  size_t kept = 0;
  for (char c : *added) kept += kept < text.size() && c == text[kept];
  expect(kept == text.size(), "nothing of the text is lost", *added);
  const Json* const others = find(before, "record");
  expect(!others || *find(value, "record") == *others, "other settings stay", *added);
}

// Each line NAME=VALUE is a variable.
void check_environment(std::string_view text) {
  std::map<std::string, std::string> environment;
  for (const std::string_view line : split(text, '\n')) {
    const size_t equals = std::min(line.find('='), line.size());
    environment["HELVE_" + std::string(line.substr(0, equals))] =
        line.substr(std::min(equals + 1, line.size()));
  }
  std::vector<std::string> notices;
  const config::Layer layer = config::environment_layer(environment, notices);
  expect(layer.value.is_object(), "a layer is an object");
  check_settings(layer.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_environment(text);
  const config::YamlDocument document = config::parse_yaml(text);
  const auto last = static_cast<int>(std::count(text.begin(), text.end(), '\n') +
                                     std::count(text.begin(), text.end(), '\r')) +
                    1;
  for (const config::YamlProblem& problem : document.problems) {
    expect(problem.line >= 0 && problem.line <= last + 1, "a problem is on a line of the text");
    expect(!problem.message.empty(), "a problem says what is wrong");
    expect(is_utf8(problem.message), "a problem is valid UTF-8", problem.message);
  }
  if (!document.problems.empty()) return 0;
  for (const auto& [path, line] : document.lines)
    expect(line >= 1 && line <= last, "a key is on a line of the text", path);
  const std::string written = to_text(document.value);
  expect(parse_json(written).has_value(), "a document is JSON", written);
  check_settings(document.value);
  check_adding(text, document.value);
  return 0;
}
