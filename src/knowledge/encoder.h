// The sentence encoder: Universal Sentence Encoder Lite. Two transformer layers over the pieces of
// a text, their mean, and a last layer give the vector of its meaning.
#pragma once

#include <span>
#include <vector>

#include "knowledge/embedder.h"
#include "knowledge/encoder_file.h"

namespace helve::knowledge {

constexpr size_t kMaxPieces = 128;  // that the encoder was taught to see at once

// The vectors of some texts, each of at least one and at most kMaxPieces pieces. They are worked on
// together, so that each weight is read once: more of them at a time cost memory, and less time.
std::vector<Vector> encode(const EncoderFile& file, std::span<const std::span<const Piece>> texts,
                           const Kernels& kernels = best_kernels());

}  // namespace helve::knowledge
