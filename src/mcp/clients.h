// What is known of clients by the names that they give themselves (clientInfo.name).
#pragma once

#include <algorithm>
#include <string_view>

namespace helve::mcp {

// Whether answers have a structured value beside the text, and the tools an output schema for it:
// the protocol wants the one where there is the other. auto_: unless the client hides the text.
enum class Structured : unsigned char { auto_, always, never };

// Where an answer has a structured value, these show it to the model instead of the text, which has
// more: line numbers, hints, notes.
inline constexpr std::string_view kHideText[] = {"claude-code", "codex-mcp-client"};

constexpr bool gets_structured(Structured when, std::string_view client) {
  if (when != Structured::auto_) return when == Structured::always;
  return std::ranges::find(kHideText, client) == std::ranges::end(kHideText);
}

}  // namespace helve::mcp
