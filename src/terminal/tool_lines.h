// Tool lines: a tool's call as one row, and with its arguments and result when somebody wants to
// see them. Nothing here knows a particular tool: what a call is about are the arguments that the
// tool says it works on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace helve::terminal {

enum class CallState : unsigned char { running, ok, failed };

struct CallView {
  std::string name;
  Json arguments = {};
  std::vector<std::string> subject = {};  // names of arguments, as Spec::subject has them
  CallState state = CallState::running;
  std::string summary = {};  // a few words on the result: "120 lines", or why it failed
  std::string result = {};   // its text
  bool is_prose = false;     // the result is, so that its lines are broken between words
  std::optional<std::chrono::milliseconds> elapsed = std::nullopt;
};

struct LineStyle {
  bool colours = false;
  size_t columns = 80;
  bool has_keys = true;  // false: there is none that would show more
};
// What is said about what was left out: "… 3 more lines".
std::string more_lines(size_t count, const LineStyle& style);

// Without a newline, narrower than the terminal: "✓ read  src/main.cc  (120 lines)".
std::string tool_line(const CallView& call, const LineStyle& style);

constexpr size_t kAllRows = static_cast<size_t>(-1);
// Arguments and result, each row indented and ended with a newline. Of more than `most` rows the
// rest is counted; unless all are wanted, rows are cut at the terminal's width.
std::string tool_details(const CallView& call, const LineStyle& style, size_t most = 12);

}  // namespace helve::terminal
