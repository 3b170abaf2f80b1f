#include "knowledge/cached_embedder.h"

#include <algorithm>

namespace helve::knowledge {

Result<std::vector<Vector>> CachedEmbedder::embed(std::span<const std::string_view> texts,
                                                  std::stop_token stop) {
  std::vector<Vector> vectors(texts.size());
  std::vector<size_t> missing;
  std::vector<std::string_view> missing_texts;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (std::optional<Vector> found = find(texts[i])) {
      vectors[i] = std::move(*found);
    } else {
      missing.push_back(i);
      missing_texts.push_back(texts[i]);
    }
  }
  for (size_t done = 0; done < missing.size();) {
    const std::span<const std::string_view> rest = std::span(missing_texts).subspan(done);
    const std::span<const std::string_view> asked = rest.first(step(rest));
    std::vector<Vector> made = keep(asked, TRY(inner_->embed(asked, stop)));
    for (Vector& vector : made) vectors[missing[done++]] = std::move(vector);
  }
  return vectors;
}

Result<Vector> CachedEmbedder::embed_query(std::string_view text, std::stop_token stop) {
  if (std::optional<Vector> found = find(text)) return std::move(*found);
  std::vector<Vector> made;
  made.push_back(TRY(inner_->embed_query(text, std::move(stop))));
  return std::move(keep({&text, 1}, std::move(made)).front());
}

std::vector<Vector> CachedEmbedder::keep(std::span<const std::string_view> texts,
                                         std::vector<Vector> made) {
  std::vector<EmbeddingCache::Entry> entries;
  for (size_t i = 0; i < texts.size(); ++i)
    entries.push_back({EmbeddingCache::hash_of(texts[i]), made[i]});
  // A full disk takes away the cache, not the vectors.
  (void)cache_.add(entries);
  for (Vector& vector : made) vector = from_bytes(to_bytes(vector));
  return made;
}

}  // namespace helve::knowledge
