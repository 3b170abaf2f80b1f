// The <json> text protocol: what a model wrote becomes calls and problems, and what it reads cannot
// be broken out of.
#include "model/json_tags.h"

#include "base/text.h"
#include "target.h"

namespace {

using namespace helve;
using namespace helve::model;
using fuzz::expect;

constexpr size_t kRepeated = 64;  // bytes of a text that is tried again and again …
constexpr size_t kRepeatedBytes =
    32 * 1024;  // … in one that a scanner would need seconds for if it were not linear

std::string shown(const json_tags::Call& call) { return call.tool_name + to_text(call.tool_input); }

void check_scan(std::string_view text) {
  const json_tags::Scan many = json_tags::scan(text, json_tags::Calls::many);
  for (const json_tags::Call& call : many.calls) {
    expect(!call.tool_name.empty() && call.tool_input.is_object(),
           "a call has a name and an object");
  }
  for (const std::string& problem : many.problems) {
    expect(!problem.empty() && is_utf8(problem), "a problem says what is wrong", problem);
  }
  const json_tags::Scan one = json_tags::scan(text, json_tags::Calls::one);
  expect(one.calls.size() == std::min<size_t>(many.calls.size(), 1),
         "the first of many is the one");
  if (!one.calls.empty())
    expect(shown(one.calls[0]) == shown(many.calls[0]), "the first of many is the one");
}

// Whatever a tool says stays inside its block.
void check_result(std::string_view text) {
  const std::string name = "a" + std::string(cut_utf8(text, 20));
  const Json input = JsonObject{{"text", text}};
  const std::string block = json_tags::result(name, input, text);
  expect(is_utf8(block), "a result is valid UTF-8", block);
  expect(block.rfind("<json>") == 0 && block.find("</json>") == block.size() - 7,
         "a result is one block", block);
  const json_tags::Scan scan = json_tags::scan(block, json_tags::Calls::many);
  expect(scan.calls.size() == 1 && scan.problems.empty() && !scan.truncated,
         "a result is read as one block", block);
  if (is_utf8(text)) {
    expect(scan.calls[0].tool_name == name && scan.calls[0].tool_input == input,
           "a result names its call", block);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_scan(text);
  check_result(text);
  if (text.size() > kRepeated || text.find('<') == text.npos) return 0;
  std::string repeated;
  while (repeated.size() < kRepeatedBytes) repeated += text;
  json_tags::scan(repeated, json_tags::Calls::many);
  return 0;
}
