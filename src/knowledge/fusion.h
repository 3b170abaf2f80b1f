// How scores of words and of meaning become one from 0 to 1: near 1 for a perfect hit, below a
// third for what is not related.
#pragma once

namespace helve::knowledge {

// What is known of a passage and a question.
struct Evidence {
  double words = 0;      // BM25F, as a part of what no passage exceeds
  double coverage = 0;   // the part of the question, by rarity, whose words the passage has
  double cosine = 0;     // of their meanings
  double mean = 0;       // of the cosines of all passages
  double deviation = 0;  // the same
};

double word_score(const Evidence& evidence);
double meaning_score(const Evidence& evidence);
double hybrid_score(const Evidence& evidence);

}  // namespace helve::knowledge
