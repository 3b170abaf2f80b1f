#include "knowledge/embedder.h"

#include <algorithm>
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

size_t Embedder::step(std::span<const std::string_view> texts) const {
  const size_t most = std::min(texts.size(), step_texts());
  size_t count = 0;
  for (size_t bytes = 0; count < most; ++count) {
    bytes += texts[count].size();
    if (count > 0 && bytes > step_bytes()) break;
  }
  return count;
}

Result<Vector> Embedder::embed_query(std::string_view text, std::stop_token stop) {
  std::vector<Vector> vectors = TRY(embed({&text, 1}, std::move(stop)));
  if (vectors.size() != 1) return Error{Code::unavailable, "the embedder gave no vector"};
  return std::move(vectors.front());
}

}  // namespace helve::knowledge
