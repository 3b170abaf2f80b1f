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

void check_scan(std::string_view text) {
  const json_tags::Scan scan = json_tags::scan(text);
  size_t end = 0;
  for (const json_tags::Call& call : scan.calls) {
    expect(!call.tool_name.empty() && call.tool_input.is_object(),
           "a call has a name and an object");
    expect(end <= call.begin && call.begin < call.end && call.end <= text.size(),
           "blocks follow each other");
    expect(text.substr(call.begin).starts_with("<json>"), "a block begins with its tag");
    end = call.end;
  }
  for (const std::string& problem : scan.problems) {
    expect(!problem.empty() && is_utf8(problem), "a problem says what is wrong", problem);
  }
}

// Whatever a tool says stays inside its block.
void check_result(std::string_view text) {
  const std::string name = "a" + std::string(cut_utf8(text, 20));
  const Json input = JsonObject{{"text", text}};
  const std::string block = json_tags::result(name, input, text);
  expect(is_utf8(block), "a result is valid UTF-8", block);
  expect(block.rfind("<json>") == 0 && block.find("</json>") == block.size() - 7,
         "a result is one block", block);
  const json_tags::Scan scan = json_tags::scan(block);
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
  json_tags::scan(repeated);
  return 0;
}
