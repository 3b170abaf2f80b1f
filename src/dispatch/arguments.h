// Arguments as text, to JSON: strict first, then conservatively repaired, and every repair is
// reported. What was cut off is never completed: a half-sent file must not be written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/tool.h"

namespace helve::dispatch {

struct Arguments {
  Json value;                        // always an object
  std::vector<std::string> repairs;  // "removed a trailing comma", …; empty when the text was right
};

// Empty text means no arguments. Everything that is not an object, even after repair, is an error.
Result<Arguments> parse_arguments(std::string_view text);
// The same for a value; null or JSON's null: the text counts.
Result<Arguments> parse_arguments(const Json* given, std::string_view text);

// Has the tool decode its arguments. Objects and lists that came as text are put in their places
// first; `arguments` then points to `own`, and `repairs` gets those that nobody asked to be text.
Result<std::unique_ptr<Bound>> bind_arguments(const Tool& tool, const Json*& arguments, Json& own,
                                              std::vector<std::string>& repairs);

}  // namespace helve::dispatch
