// Embedder: turns texts into vectors whose dot product tells how near their meanings are.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::knowledge {

using Vector = std::vector<float>;  // of length 1, so that a dot product is the cosine
// Makes it so; zeros stay. False: it holds what is no number.
bool to_unit_length(Vector& vector);

// Thread-safe.
class Embedder {
 public:
  virtual ~Embedder() = default;
  // Tells vectors of different embedders, models and versions apart: what one made is of no use to
  // another.
  virtual std::string_view id() const = 0;
  // Bytes of texts that are best given at once, and how many texts: the fewer, the less is lost
  // when there is no time left.
  virtual size_t step_bytes() const { return 1'000; }
  virtual size_t step_texts() const { return SIZE_MAX; }
  // How many of the texts, from the first on: one at least.
  size_t step(std::span<const std::string_view> texts) const;
  // One for each text, in their order, all of the same size. Soon after a stop: `cancelled`.
  virtual Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                            std::stop_token stop) = 0;
  // Of what somebody asks now and waits for: where a server makes it, that is asked once and not
  // waited for long.
  virtual Result<Vector> embed_query(std::string_view text, std::stop_token stop);
};

}  // namespace helve::knowledge
