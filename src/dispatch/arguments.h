// Arguments as text, to JSON: strict first, then conservatively repaired, and every repair is
// reported. What was cut off is never completed: a half-sent file must not be written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::dispatch {

struct Arguments {
  Json value;                        // always an object
  std::vector<std::string> repairs;  // "removed a trailing comma", …; empty when the text was right
};

// Empty text means no arguments. Everything that is not an object, even after repair, is an error.
Result<Arguments> parse_arguments(std::string_view text);

}  // namespace helve::dispatch
