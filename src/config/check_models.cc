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

}  // namespace

void check_model(const Layer& layer, const std::string& home, const std::string& at,
                 ModelSettings& model, Complaints& complaints) {
  const auto complain = [&](std::string_view key, std::string_view why, std::string_view hint) {
    complaints.add(layer, fmt::format("{}.{}", at, key), why, hint);
  };
  if (!model.base_url.empty() && !is_address(model.base_url))
    complain("base_url", "is no address of a server",
             "such as https://host/v1, without user, query and spaces");
  if (!std::ranges::all_of(model.name, is_graphic))
    complain("name", "has a space or another character that no model's name has", "");
  if (!model.key_env.empty() && !is_variable(model.key_env))
    complain("key_env", "is not the name of a variable",
             "letters, digits and _; a key itself goes into key");
  if (!std::ranges::all_of(model.key, is_graphic))
    complain("key", "has a space or another character that no key has", "");
  if (!model.key.empty() && !model.key_env.empty())
    complain("key_env", "key is set as well", "keep one of them");
  resolve_path(layer, home, at + ".script", model.script, complaints);
  resolve_path(layer, home, at + ".recording", model.recording, complaints);
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
