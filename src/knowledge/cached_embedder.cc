#include "knowledge/cached_embedder.h"

#include <algorithm>

namespace helve::knowledge {

Result<std::vector<Vector>> CachedEmbedder::embed(std::span<const std::string_view> texts,
                                                  std::stop_token stop) {
  std::vector<Vector> vectors(texts.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (std::optional<Vector> found = find(texts[i]))
      vectors[i] = std::move(*found);
    else
      missing.push_back(i);
  }
  for (std::span<const size_t> rest = missing; !rest.empty();) {
    const auto batch = rest.first(std::min(rest.size(), kBatch));
    rest = rest.subspan(batch.size());
    std::vector<std::string_view> asked;
    for (const size_t i : batch) asked.push_back(texts[i]);
    std::vector<Vector> made = TRY(inner_->embed(asked, stop));
    std::vector<EmbeddingCache::Entry> entries;
    for (size_t i = 0; i < batch.size(); ++i)
      entries.push_back({EmbeddingCache::hash_of(asked[i]), made[i]});
    // A full disk takes away the cache, not the vectors.
    (void)cache_.add(entries);
    // As the cache will give it next time, so that a search finds the same then.
    for (size_t i = 0; i < batch.size(); ++i) vectors[batch[i]] = from_bytes(to_bytes(made[i]));
  }
  return vectors;
}

}  // namespace helve::knowledge
