// What a hook script is told: short texts in its environment, everything as JSON on its input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/services.h"

namespace helve::hooks {

enum class Point : unsigned char { before_tool, after_tool };
std::string_view name_of(Point point);

constexpr size_t kMaxTextChars = 10'000;                    // of one text in the environment
constexpr size_t kMaxPayload = 8u << 20;                    // bytes on standard input
constexpr size_t kMaxArguments = kMaxPayload - (1u << 20);  // leaves room for the rest

// HELVE_HOOK_POINT, _SESSION, _TOOL, _TOOL_ARGS, _TOOL_RESULT (after), _CALL, _CALLER, _EFFECT, and
// the first five also as CAMELAGI_HOOK_…, for scripts written for that. `arguments` is JSON text.
void append_variables(std::vector<std::string>& environment, Point point, const HookCall& call,
                      std::string_view arguments);

// {"point","session","agent","user","workspace","call","caller","tool","arguments","effect"}, and
// after the call "result" and "is_error". A result that does not fit is cut: "result_cut" is true.
std::string payload(Point point, const HookCall& call, std::string_view arguments);

}  // namespace helve::hooks
