// Presets: providers and local servers by name: where they are, how they talk, where their key is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/wire.h"
#include "sys/http.h"

namespace helve::model {

struct Preset {
  std::string_view name;
  std::string_view wire;
  std::string_view base_url;
  std::string_view key;        // the variable that holds it; empty: none is needed
  std::string_view other_key;  // another one, looked at after it
  std::string_view url;        // the variable that names another place; empty: there is none
  bool is_local = false;       // looked for on this machine
};

inline constexpr Preset kPresets[] = {
    {"anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "",
     "ANTHROPIC_BASE_URL"},
    {"openai", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "", "OPENAI_BASE_URL"},
    {"openai-responses", "openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY", "",
     "OPENAI_BASE_URL"},
    {"gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY",
     "GOOGLE_API_KEY", ""},
    {"openrouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "", ""},
    {"groq", "openai", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "", ""},
    {"mistral", "openai", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "", ""},
    {"deepseek", "openai", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "", ""},
    {"xai", "openai", "https://api.x.ai/v1", "XAI_API_KEY", "", ""},
    {"together", "openai", "https://api.together.xyz/v1", "TOGETHER_API_KEY", "", ""},
    {"fireworks", "openai", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "", ""},
    {"cerebras", "openai", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "", ""},
    {"ollama", "openai", "http://localhost:11434/v1", "", "", "OLLAMA_HOST", true},
    {"lmstudio", "openai", "http://localhost:1234/v1", "", "", "", true},
    {"llamacpp", "openai", "http://localhost:8080/v1", "", "", "", true},
    {"vllm", "openai", "http://localhost:8000/v1", "", "", "", true},
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

// A variable of the environment; empty when it is not set.
using Lookup = std::function<std::string(std::string_view name)>;
// Where the variables say it is. The model is not chosen yet.
Endpoint endpoint_of(const Preset& preset, const Lookup& environment);

// The models that a server has, in its order.
Result<std::vector<std::string>> list_models(const Wire& wire, const Endpoint& endpoint,
                                             sys::HttpClient& client, std::stop_token stop);

struct Discovered {
  const Preset* preset;
  Endpoint endpoint;
  std::vector<std::string> models;
};
// The local servers that answer. Takes a second at most.
std::vector<Discovered> discover(const Lookup& environment, sys::HttpClient& client,
                                 std::stop_token stop);

}  // namespace helve::model
