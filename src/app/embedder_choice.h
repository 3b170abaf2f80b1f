// Embedder choice: from the settings to what makes vectors of texts.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/surroundings.h"
#include "config/config.h"
#include "knowledge/cached_embedder.h"
#include "sys/clock.h"

namespace helve::app {

constexpr std::string_view kNoEmbedder = "no_embedder";  // the type of the error: there is none

// Through the cache of the state directory. Nobody is asked and no weights are read before the
// first text. Shared: searches, and threads that embed behind them, end in any order. An error of
// the type kNoEmbedder says why texts cannot be found by meaning, and what to do.
Result<std::shared_ptr<knowledge::CachedEmbedder>> choose_embedder(
    const config::EmbeddingSettings& settings, const Surroundings& surroundings,
    const sys::Clock& clock);

// The same, made when somebody first asks; who could not be made is tried again: the weights may
// have been installed meanwhile. Thread-safe. Borrows the surroundings and the clock.
class EmbedderOnDemand {
 public:
  EmbedderOnDemand(config::EmbeddingSettings settings, const Surroundings& surroundings,
                   const sys::Clock& clock)
      : settings_(std::move(settings)), surroundings_(surroundings), clock_(clock) {}
  Result<std::shared_ptr<knowledge::Embedder>> get();

 private:
  const config::EmbeddingSettings settings_;
  const Surroundings& surroundings_;
  const sys::Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<knowledge::Embedder> made_;  // guarded by mutex_
};

// For people, without a key: "builtin (/home/…/use-lite-1.bin)", "nomic-embed-text of http://…".
std::string describe_embedder(const config::EmbeddingSettings& settings,
                              const Surroundings& surroundings);

// The builtin embedder's file, as the settings have it; empty: the state directory is not known.
std::string embedder_file(const config::EmbeddingSettings& settings,
                          const Surroundings& surroundings);

}  // namespace helve::app
