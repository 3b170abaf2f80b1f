// Settings of embeddings: what makes the vectors that a search by meaning needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/describe.h"

namespace helve::config {

enum class EmbeddingProvider : unsigned char { builtin, endpoint, none };

// What is empty is not set.
struct EmbeddingSettings {
  std::optional<EmbeddingProvider> provider;
  std::string file;
  std::string base_url, model, key_env;
  std::optional<std::int64_t> dimensions;

  static constexpr auto schema() {
    constexpr std::int64_t kMaxText = 4096;  // characters
    return schema::object(
        "What makes vectors of texts, so that they are found by their meaning.",
        schema::opt<&EmbeddingSettings::provider>(
            "builtin: helve's own encoder, in this process; endpoint: a server that has OpenAI's "
            "/embeddings; none: only words are searched. Default: builtin"),
        schema::opt<&EmbeddingSettings::file>(
            "builtin: the file that `helve embedder install` makes; default: in the state "
            "directory. Absolute, or ~/…; in a workspace's file also relative to the workspace")
            .max_length(kMaxText),
        schema::opt<&EmbeddingSettings::base_url>(
            "endpoint: where the server is, with /v1 where it has one")
            .max_length(kMaxText),
        schema::opt<&EmbeddingSettings::model>("endpoint: the model, as the server calls it")
            .max_length(200),
        schema::opt<&EmbeddingSettings::key_env>(
            "endpoint: the variable that holds the key; empty: no key is sent")
            .max_length(200),
        schema::opt<&EmbeddingSettings::dimensions>(
            "endpoint: how many numbers a vector has, where the model can be told")
            .min(1)
            .max(8192));
  }
};

// What `stronger` sets, else what `weaker` does. Another server gets no key that was not given for
// it.
EmbeddingSettings over(const EmbeddingSettings& stronger, EmbeddingSettings weaker);

}  // namespace helve::config
