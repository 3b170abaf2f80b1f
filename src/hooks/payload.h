// What a hook script is told: short texts in its environment, everything as JSON on its input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hooks/point.h"
#include "tool/services.h"

namespace helve::hooks {

constexpr size_t kMaxTextChars = 10'000;                  // of one text in the environment
constexpr size_t kMaxPayload = 8u << 20;                  // bytes on standard input
constexpr size_t kMaxGuarded = kMaxPayload - (1u << 20);  // of what a guard must see whole, as JSON

struct Told {
  // HELVE_HOOK_POINT, _SESSION and, by the point, _MESSAGE, _RESPONSE, _TOOL, _TOOL_ARGS or
  // _TOOL_RESULT: these also as CAMELAGI_HOOK_…, for scripts written for that. For a call also
  // HELVE_HOOK_CALL, _CALLER and _EFFECT.
  std::vector<std::string> variables;
  // {"point","session","agent","user","workspace"} and either "message" or "response", or
  // {"call","caller","tool","arguments","effect"} and after the call "result" and "is_error". A
  // response or result that does not fit is cut: "response_cut" or "result_cut" is true.
  std::string payload;
};

// `arguments` is JSON text, since a script may have changed those of the call. Nothing: they are
// more than a script before the call can be shown. After the call they are null then.
std::optional<Told> told_of(Point point, const HookCall& call, std::string_view arguments);
// Nothing: the prompt is more than a script before it can be shown.
std::optional<Told> told_of(Point point, const HookTalk& talk);

}  // namespace helve::hooks
