#include "knowledge/fusion.h"

#include <algorithm>
#include <cmath>

namespace helve::knowledge {
namespace {

// Rises from 0 to 1, the steeper at first, the higher the exponent.
double risen(double part, double exponent) {
  return 1 - std::pow(1 - std::clamp(part, 0.0, 1.0), exponent);
}

// What a passage has of the question's words counts more than half of it long before half of them
// are there.
constexpr double kWordsCurve = 1.5;
constexpr double kMeaningShare = 0.5;
// These three put 0.35 where it belongs.
constexpr double kOnlyWords = 4;
constexpr double kOnlyMeaning = 1.1;
constexpr double kBoth = 1.8;

}  // namespace

double words_relevance(double words) { return risen(words, kOnlyWords); }

double meaning_relevance(double cosine) { return risen(cosine, kOnlyMeaning); }

double relevance(double words, double cosine) {
  const double by_words = risen(words, kWordsCurve);
  const double by_meaning = std::clamp(cosine, 0.0, 1.0);
  return risen((1 - kMeaningShare) * by_words + kMeaningShare * by_meaning, kBoth);
}

}  // namespace helve::knowledge
