// How a trial's changes are shown, and how they are written down until they are applied.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "workspace/trial.h"

namespace helve::workspace {

struct BothSides {
  const sys::Fd& upper;
  const sys::Fd& lower;
  std::string shown;
};
// Adds one change to the report; the difference only as long as it fits.
void describe(const Altered& altered, const BothSides& sides, size_t diff_chars,
              TrialReport& report);

JsonArray altered_json(const std::vector<Altered>& altered);
// Of each layer.
std::vector<std::vector<Altered>> altered_from(const Json& manifest);

}  // namespace helve::workspace
