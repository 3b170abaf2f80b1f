#include "knowledge/fusion.h"

#include <algorithm>
#include <cmath>

namespace helve::knowledge {

double word_score(const Evidence& evidence) {
  const double missing = 1 - std::clamp(evidence.words, 0.0, 1.0);
  return 1 - missing * missing * missing;
}

double meaning_score(const Evidence& evidence) { return std::clamp(evidence.cosine, 0.0, 1.0); }

double hybrid_score(const Evidence& evidence) {
  return 0.5 * word_score(evidence) + 0.5 * meaning_score(evidence);
}

}  // namespace helve::knowledge
