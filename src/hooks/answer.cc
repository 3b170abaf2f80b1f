#include "hooks/answer.h"

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"

namespace helve::hooks {
namespace {

using Decision = HookAnswer::Decision;

constexpr int kBlocks = 2;
constexpr size_t kShownChars = 200;

std::string clean(std::string_view bytes, size_t chars) {
  const std::string_view text = trim(bytes);
  return preview(is_utf8(text) ? std::string(text) : escape_invalid_utf8(text), chars);
}

std::string unusual_end(const sys::Finished& finished) {
  std::string text = finished.signal.empty() ? fmt::format("exit code {}", finished.exit_code)
                                             : fmt::format("ended by {}", finished.signal);
  const std::string said = clean(finished.err, kShownChars);
  if (!said.empty()) text += ": " + escape_for_display(said);
  return text;
}

void read_decision(const Json& json, ScriptAnswer& answer) {
  const Json* decision = find(json, "decision");
  if (decision && !decision->is_null()) {
    if (*decision == "allow")
      answer.decision = Decision::allow;
    else if (*decision == "deny")
      answer.decision = Decision::deny;
    else if (*decision != "none") {
      answer.failure = fmt::format("the decision must be allow, deny or none, not {}",
                                   preview(to_text(*decision), kShownChars));
    }
  }
  answer.reason = clean(string_at(json, "reason"), kMaxReasonChars);
  const Json* arguments = find(json, "arguments");
  if (!arguments) arguments = find(json, "input");
  if (!arguments || arguments->is_null()) return;
  if (arguments->is_object())
    answer.arguments = *arguments;
  else
    answer.failure = fmt::format("the arguments must be an object, not {}",
                                 preview(to_text(*arguments), kShownChars));
}

}  // namespace

ScriptAnswer read_answer(const sys::Finished& finished) {
  ScriptAnswer answer;
  if (finished.exit_code == kBlocks) {
    answer.decision = Decision::deny;
    answer.reason = clean(finished.err, kMaxReasonChars);
  } else if (finished.exit_code != 0) {
    answer.failure = unusual_end(finished);
  } else if (finished.out_truncated) {
    answer.failure = "it printed too much";
  } else if (const std::string_view text = trim(finished.out); text.starts_with('{')) {
    const Result<Json> json = parse_json(text);
    if (json)
      read_decision(*json, answer);
    else
      answer.failure = describe(json.error());
  }
  return answer;
}

}  // namespace helve::hooks
