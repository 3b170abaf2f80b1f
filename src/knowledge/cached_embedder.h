// CachedEmbedder: makes only the vectors that no earlier run has made.
#pragma once

#include <memory>
#include <optional>

#include "knowledge/embedder.h"
#include "knowledge/embedding_cache.h"

namespace helve::knowledge {

// Thread-safe.
class CachedEmbedder final : public Embedder {
 public:
  CachedEmbedder(std::unique_ptr<Embedder> inner, std::string directory)
      : inner_(std::move(inner)), cache_(std::move(directory), inner_->id()) {}

  std::string_view id() const override { return inner_->id(); }
  size_t step_bytes() const override { return inner_->step_bytes(); }
  size_t step_texts() const override { return inner_->step_texts(); }
  // What was made before a stop, or before an error, is kept.
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token stop) override;
  Result<Vector> embed_query(std::string_view text, std::stop_token stop) override;
  // Only if it was made before.
  std::optional<Vector> find(std::string_view text) {
    return cache_.find(EmbeddingCache::hash_of(text));
  }

 private:
  // As the cache will give them next time, so that a search finds the same then.
  std::vector<Vector> keep(std::span<const std::string_view> texts, std::vector<Vector> made);

  const std::unique_ptr<Embedder> inner_;
  EmbeddingCache cache_;
};

}  // namespace helve::knowledge
