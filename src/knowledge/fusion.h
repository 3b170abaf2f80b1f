// Fusion: what words say of a passage and what meaning says, as scores from 0 to 1, and both as
// one. The three are calibrated against each other: nine of ten passages that answer a question put
// in other words score 0.35 at least, however they were found, and passages that answer it in its
// own words come near 1. bench/retrieval measures it.
#pragma once

namespace helve::knowledge {

// `words` is BM25F as a part of what no passage exceeds, `cosine` that of the meanings.
double words_relevance(double words);
double meaning_relevance(double cosine);
double relevance(double words, double cosine);

}  // namespace helve::knowledge
