#include "config/model_settings.h"

#include "config/embedding_settings.h"

namespace helve::config {
namespace {

void take(std::string& to, const std::string& from) {
  if (!from.empty()) to = from;
}

template <class T>
void take(std::optional<T>& to, const std::optional<T>& from) {
  if (from) to = from;
}

bool names_another(const std::string& stronger, const std::string& weaker) {
  return !stronger.empty() && stronger != weaker;
}

// Whether the models are somebody else's. An address alone is nobody's of whom we know.
bool is_another_provider(const ModelSettings& stronger, const ModelSettings& weaker) {
  return stronger.provider.empty() ? names_another(stronger.base_url, weaker.base_url)
                                   : names_another(stronger.provider, weaker.provider);
}

}  // namespace

ModelSettings over(const ModelSettings& stronger, ModelSettings weaker) {
  if (is_another_provider(stronger, weaker)) {
    weaker.provider.clear(), weaker.base_url.clear(), weaker.name.clear();
    weaker.key_env.clear(), weaker.key.clear(), weaker.script.clear();
    weaker.format.reset(), weaker.protocol.reset(), weaker.window.reset();
    weaker.max_output_tokens.reset();
  }
  // The same provider, but a key that was given for an address goes to no other.
  if (!weaker.base_url.empty() && names_another(stronger.base_url, weaker.base_url))
    weaker.key_env.clear(), weaker.key.clear();
  // What is known of one model does not hold for another.
  if (!stronger.name.empty() && stronger.name != weaker.name)
    weaker.window.reset(), weaker.max_output_tokens.reset();
  if (!stronger.key.empty()) weaker.key_env.clear();
  if (!stronger.key_env.empty()) weaker.key.clear();
  take(weaker.provider, stronger.provider);
  take(weaker.name, stronger.name);
  take(weaker.base_url, stronger.base_url);
  take(weaker.key_env, stronger.key_env);
  take(weaker.key, stronger.key);
  take(weaker.format, stronger.format);
  take(weaker.protocol, stronger.protocol);
  take(weaker.effort, stronger.effort);
  take(weaker.temperature, stronger.temperature);
  take(weaker.max_output_tokens, stronger.max_output_tokens);
  take(weaker.window, stronger.window);
  take(weaker.script, stronger.script);
  take(weaker.recording, stronger.recording);
  take(weaker.idle_seconds, stronger.idle_seconds);
  take(weaker.total_seconds, stronger.total_seconds);
  take(weaker.retries, stronger.retries);
  return weaker;
}

EmbeddingSettings over(const EmbeddingSettings& stronger, EmbeddingSettings weaker) {
  if (!stronger.base_url.empty() && stronger.base_url != weaker.base_url)
    weaker.model.clear(), weaker.key_env.clear(), weaker.dimensions.reset();
  take(weaker.provider, stronger.provider);
  take(weaker.file, stronger.file);
  take(weaker.base_url, stronger.base_url);
  take(weaker.model, stronger.model);
  take(weaker.key_env, stronger.key_env);
  take(weaker.dimensions, stronger.dimensions);
  return weaker;
}

}  // namespace helve::config
