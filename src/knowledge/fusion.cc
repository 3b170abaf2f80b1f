#include "knowledge/fusion.h"

#include <algorithm>
#include <cmath>

namespace helve::knowledge {

double meaning_share(double coverage) {
  constexpr double kLeast = 0.35;
  constexpr double kMost = 0.55;
  constexpr double kFewWords = 0.35;
  constexpr double kManyWords = 0.55;
  const double many = std::clamp((coverage - kFewWords) / (kManyWords - kFewWords), 0.0, 1.0);
  return kMost - (kMost - kLeast) * many;
}

double relevance(double words, double cosine, double meaning_share) {
  // A passage with every word of the question once reaches about half of what BM25F can give.
  constexpr double kWordCurve = 2;
  constexpr double kCurve = 1.25;  // so that 0.35 is a good threshold
  const double by_words = 1 - std::pow(1 - std::clamp(words, 0.0, 1.0), kWordCurve);
  const double by_meaning = std::clamp(cosine, 0.0, 1.0);
  const double both = (1 - meaning_share) * by_words + meaning_share * by_meaning;
  return 1 - std::pow(1 - both, kCurve);
}

}  // namespace helve::knowledge
