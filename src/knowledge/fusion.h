// How a score of words and one of meaning become one from 0 to 1: near 1 for a perfect hit, and for
// what is hardly related below a third. bench/retrieval measures what the numbers here are good
// for.
#pragma once

namespace helve::knowledge {

// How much meaning counts beside words, 0 to 1. `coverage` is the part of the question, by how rare
// its words are, that the passage with most of it has. Who asks with the words of a note means that
// note; when few words are found anywhere, the question was put in others.
double meaning_share(double coverage);

// `words` is BM25F as a part of what no passage exceeds, `cosine` that of the meanings.
double relevance(double words, double cosine, double meaning_share);

}  // namespace helve::knowledge
