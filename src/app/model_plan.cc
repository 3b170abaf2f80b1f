// Which model would be used: nothing here waits for anybody.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model_choice.h"
#include "base/text.h"
#include "model/model_names.h"
#include "sys/http_plain.h"

namespace helve::app {
namespace {

// Their keys alone are reason enough to ask them.
constexpr std::array<std::string_view, 4> kByKey = {"anthropic", "openai", "gemini", "openrouter"};

config::ModelSettings settings_of(const ModelFlags& flags) {
  config::ModelSettings settings;
  settings.provider = flags.provider;
  settings.name = flags.model;
  settings.base_url = flags.base_url;
  settings.protocol = flags.protocol;
  settings.recording = flags.record;
  settings.script = flags.script;
  return settings;
}

std::string_view format_name(config::ModelFormat format) {
  constexpr std::array<std::string_view, 4> kNames = {"anthropic", "openai", "openai-responses",
                                                      "gemini"};
  return kNames[static_cast<size_t>(format)];
}

// The provider that the settings mean; empty: whatever server this machine has.
std::string provider_of(const config::ModelSettings& settings, const model::Lookup& environment) {
  if (!settings.provider.empty()) return settings.provider;
  if (!settings.base_url.empty()) return std::string(kCustom);
  if (!settings.script.empty()) return std::string(kScripted);
  for (const std::string_view name : kByKey) {
    if (!model::endpoint_of(*model::find_preset(name), environment).key.empty())
      return std::string(name);
  }
  return "";
}

Error no_provider(const config::Loaded& settings, const ModelFlags& flags, std::string_view name) {
  std::vector<std::string_view> names;
  for (const model::Preset& preset : model::presets()) names.push_back(preset.name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "helve models lists them; a base URL needs no provider";
  const config::Layer* layer = settings.decider("model.provider");
  const std::string place = !flags.provider.empty() ? "--provider"
                            : layer                 ? layer->place_of("model.provider")
                                                    : "the agent's model";
  return Error{Code::invalid_argument,
               fmt::format("{}: no provider '{}'", place, escape_for_display(preview(name, 64))),
               hint, "unknown_provider"};
}

bool is_this_machine(const sys::HttpAddress& address) {
  return address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
}

Result<void> add_key(ModelPlan& plan, const model::Preset* preset,
                     const model::Lookup& environment) {
  const config::ModelSettings& settings = plan.settings;
  std::string& key = plan.endpoint.key;
  if (!settings.key.empty()) {
    key = settings.key;
    plan.key_from = "the configuration";
  } else if (!settings.key_env.empty()) {
    key = environment(settings.key_env);
    plan.key_from = settings.key_env;
    if (key.empty())
      return Error{Code::auth, fmt::format("{} is not set", settings.key_env),
                   "model.key_env names it as the variable that holds the key", "no_key"};
  } else if (!key.empty()) {
    plan.key_from = environment(preset->key).empty() ? preset->other_key : preset->key;
  }
  key = trim(key);
  if (std::ranges::any_of(key, [](char c) { return c <= ' ' || c > '~'; }))
    return Error{Code::auth, fmt::format("the key in {} is none: it has a space", plan.key_from),
                 "set it anew", "no_key"};
  return {};
}

// OpenAI gives its models that reason no tools by Chat Completions; who serves others like OpenAI
// mostly has nothing else.
std::string_view wire_of(const ModelPlan& plan, const model::Preset* preset, bool is_elsewhere) {
  if (plan.settings.format) return format_name(*plan.settings.format);
  if (!preset) return model::kOpenAi.name;
  const bool is_openai = preset->name == model::kOpenAi.name && !is_elsewhere;
  return is_openai && model::can_reason(plan.endpoint.model) ? model::kOpenAiResponses.name
                                                             : preset->wire;
}

// Addresses as others write them, too: the paths of Anthropic's API begin with the version, those
// of Google's behind it.
std::string address_for(const model::Wire& wire, std::string url) {
  const auto cut_slashes = [&] {
    while (url.ends_with('/')) url.pop_back();
  };
  cut_slashes();
  if (&wire == &model::kAnthropic && url.ends_with("/v1")) url.resize(url.size() - 3);
  cut_slashes();
  if (&wire == &model::kGemini && url == "https://generativelanguage.googleapis.com")
    url += "/v1beta";
  return url;
}

}  // namespace

model::Lookup environment_of(const Surroundings& surroundings) {
  return [&surroundings](std::string_view name) {
    const auto found = surroundings.environment.find(std::string(name));
    return found == surroundings.environment.end() ? "" : found->second;
  };
}

ModelFlags flags_for_other(const config::Loaded& settings, std::string_view agent,
                           const ModelFlags& flags) {
  const config::Agent* found = settings.agent(agent);
  const bool has_own = found && !(found->model.provider.empty() && found->model.base_url.empty());
  const bool is_told = flags.provider == kScripted || flags.provider == kRecorded;
  if (!has_own || is_told) return flags;
  ModelFlags kept;
  kept.record = flags.record;
  return kept;
}

Result<ModelPlan> plan_model(const config::Loaded& settings, std::string_view agent,
                             const ModelFlags& flags, const Surroundings& surroundings) {
  const model::Lookup environment = environment_of(surroundings);
  ModelPlan plan;
  plan.settings = config::over(settings_of(flags), settings.model_of(agent));
  plan.provider = provider_of(plan.settings, environment);
  plan.endpoint.model = plan.settings.name;
  if (plan.provider == kScripted || plan.provider == kRecorded) {
    if (plan.settings.script.empty())
      return Error{Code::invalid_argument, fmt::format("{} has nothing to tell", plan.provider),
                   "--script FILE, or model.script, names the file", "no_script"};
    if (plan.endpoint.model.empty()) plan.endpoint.model = plan.provider;
    plan.is_local = true;
    return plan;
  }
  if (plan.provider.empty()) {
    plan.wire = &model::kOpenAi;
    plan.is_local = true;
    return plan;
  }

  const model::Preset* preset = model::find_preset(plan.provider);
  if (!preset && plan.provider != kCustom) return no_provider(settings, flags, plan.provider);
  if (preset) plan.endpoint = model::endpoint_of(*preset, environment);
  plan.endpoint.model = plan.settings.name;
  const bool is_elsewhere =
      !plan.settings.base_url.empty() || (preset && plan.endpoint.base_url != preset->base_url);
  if (!plan.settings.base_url.empty()) plan.endpoint.base_url = plan.settings.base_url;
  if (plan.endpoint.base_url.empty())
    return Error{Code::invalid_argument, "the provider custom needs a base URL",
                 "--base-url, or model.base_url", "no_base_url"};
  const sys::HttpAddress address = TRY(sys::parse_http_address(plan.endpoint.base_url));
  if (plan.endpoint.base_url.find_first_of("?#") != std::string::npos)
    return Error{Code::invalid_argument,
                 fmt::format("the base URL of {} has a query", plan.provider),
                 "paths are put behind it; a key goes into model.key_env", "bad_url"};
  plan.is_local = (preset && preset->is_local) || (!preset && is_this_machine(address));
  plan.wire = model::find_wire(wire_of(plan, preset, is_elsewhere));
  plan.endpoint.base_url = address_for(*plan.wire, std::move(plan.endpoint.base_url));
  TRY(add_key(plan, preset, environment));
  // A server of one's own may do without.
  if (plan.endpoint.key.empty() && preset && !preset->is_local && !is_elsewhere)
    return Error{Code::auth, fmt::format("there is no key for {}", plan.provider),
                 fmt::format("export {}=…, or set model.key_env or model.key", preset->key),
                 "no_key"};
  return plan;
}

std::optional<Error> ModelPlan::find_problem() const {
  if (is_local || !endpoint.model.empty()) return std::nullopt;
  const std::string base = provider == kCustom ? " --base-url " + endpoint.base_url : "";
  return Error{
      Code::invalid_argument, fmt::format("no model of {} is named", provider),
      fmt::format("--model NAME, or model.name; helve models {}{} lists them", provider, base),
      std::string(kNoModel)};
}

std::string ModelPlan::describe() const {
  if (provider.empty()) return "the first model of the first server that answers on this machine";
  const std::string name = endpoint.model.empty() ? "the first model" : endpoint.model;
  if (!wire) return fmt::format("{} ({})", provider, settings.script);
  std::string text = fmt::format("{} of {} ({}", name, provider, endpoint.base_url);
  if (!key_from.empty()) text += ", key from " + key_from;
  if (wire->name != model::kOpenAi.name && settings.format)
    text += fmt::format(", format {}", wire->name);
  if (settings.protocol == config::Protocol::text) text += ", tools as text";
  return text + ")";
}

}  // namespace helve::app
