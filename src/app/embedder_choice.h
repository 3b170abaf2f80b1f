// Embedder choice: from the settings to what makes vectors of texts.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/surroundings.h"
#include "config/config.h"
#include "knowledge/cached_embedder.h"

namespace helve::app {

constexpr std::string_view kNoEmbedder = "no_embedder";  // the type of the error: there is none

// Through the cache of the state directory. Nobody is asked and no weights are read before the
// first text. Shared: searches, and threads that embed behind them, end in any order. An error of
// the type kNoEmbedder says why texts cannot be found by meaning, and what to do.
Result<std::shared_ptr<knowledge::CachedEmbedder>> choose_embedder(
    const config::Config& config, const Surroundings& surroundings);

// The same, made when somebody first needs it and then shared by all who ask; what was missing is
// looked for again.
using FindEmbedder = std::function<Result<std::shared_ptr<knowledge::Embedder>>()>;
FindEmbedder find_embedder(const config::Config& config, const Surroundings& surroundings);

// For people, without a key: "builtin (/home/…/use-lite-1.bin)", "nomic-embed-text of http://…".
std::string describe_embedder(const config::Config& config, const Surroundings& surroundings);

// The builtin embedder's file, as the settings have it; empty: the state directory is not known.
std::string embedder_file(const config::Config& config, const Surroundings& surroundings);

}  // namespace helve::app
