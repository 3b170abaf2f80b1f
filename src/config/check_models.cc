// A model's provider reads what the agent reads, so what is odd in its settings is an error, not a
// guess. Values are not repeated: a key may stand where it does not belong.
#include <fmt/format.h>

#include <algorithm>

#include "config/layer.h"

namespace helve::config {
namespace {

bool is_graphic(char c) { return c > ' ' && c < 0x7f; }

bool is_address(std::string_view url) {
  const size_t start = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  return start > 0 && url.size() > start && url[start] != '/' && url[start] != ':' &&
         std::ranges::all_of(url, is_graphic) && url.find_first_of("@?#") == url.npos;
}

bool is_variable(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// What is wrong with the server that is named below `at`.
void check_server(const Layer& layer, const std::string& at, const std::string& base_url,
                  std::string_view name_key, const std::string& name, const std::string& key_env,
                  Complaints& complaints) {
  if (!base_url.empty() && !is_address(base_url))
    complaints.add(layer, at + ".base_url", "is no address of a server",
                   "such as https://host/v1, without user, query and spaces");
  if (!std::ranges::all_of(name, is_graphic))
    complaints.add(layer, fmt::format("{}.{}", at, name_key),
                   "has a space or another character that no model's name has", "");
  if (!key_env.empty() && !is_variable(key_env))
    complaints.add(layer, at + ".key_env", "is not the name of a variable",
                   "letters, digits and _; the key itself stands in that variable");
}

}  // namespace

void check_model(const Layer& layer, const std::string& home, const std::string& at,
                 ModelSettings& model, Complaints& complaints) {
  const auto complain = [&](std::string_view key, std::string_view why, std::string_view hint) {
    complaints.add(layer, fmt::format("{}.{}", at, key), why, hint);
  };
  check_server(layer, at, model.base_url, "name", model.name, model.key_env, complaints);
  if (!std::ranges::all_of(model.key, is_graphic))
    complain("key", "has a space or another character that no key has", "");
  if (!model.key.empty() && !model.key_env.empty())
    complain("key_env", "key is set as well", "keep one of them");
  resolve_path(layer, home, at + ".script", model.script, complaints);
  resolve_path(layer, home, at + ".recording", model.recording, complaints);
}

void check_embeddings(const Layer& layer, const std::string& home, EmbeddingSettings& embeddings,
                      Complaints& complaints) {
  check_server(layer, "embeddings", embeddings.base_url, "model", embeddings.model,
               embeddings.key_env, complaints);
  resolve_path(layer, home, "embeddings.file", embeddings.file, complaints);
}

void check_agents(const Layer& layer, const std::string& home, std::vector<Agent>& agents,
                  Complaints& complaints) {
  for (size_t i = 0; i < agents.size(); ++i) {
    Agent& agent = agents[i];
    const std::string at = fmt::format("agents[{}]", i);
    check_model(layer, home, at + ".model", agent.model, complaints);
    if (!agent.prompt.empty() && !agent.prompt_file.empty())
      complaints.add(layer, at + ".prompt_file", "prompt is set as well", "keep one of them");
    resolve_path(layer, home, at + ".prompt_file", agent.prompt_file, complaints);
    resolve_path(layer, home, at + ".memory", agent.memory, complaints);
  }
}

bool holds_key(const Layer& layer) {
  const auto has_key = [](const Json* holder) {
    const Json* model = holder ? find(*holder, "model") : nullptr;
    return model && !string_at(*model, "key").empty();
  };
  if (has_key(&layer.value)) return true;
  const Json* agents = find(layer.value, "agents");
  return agents && agents->is_array() &&
         std::ranges::any_of(agents->get_array(), [&](const Json& each) { return has_key(&each); });
}

}  // namespace helve::config
