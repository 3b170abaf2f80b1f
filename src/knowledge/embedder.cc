#include "knowledge/embedder.h"

#include <cmath>

namespace helve::knowledge {

bool to_unit_length(Vector& vector) {
  double squares = 0;
  for (const float each : vector) squares += double{each} * each;
  if (!std::isfinite(squares)) return false;
  if (squares == 0) return true;
  const auto factor = static_cast<float>(1 / std::sqrt(squares));
  for (float& each : vector) each *= factor;
  return true;
}

}  // namespace helve::knowledge
