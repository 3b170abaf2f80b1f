#include "app/model_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/http_model.h"
#include "model/recorded.h"
#include "model/retry.h"
#include "model/scripted.h"
#include "model/text_protocol.h"
#include "sys/file.h"
#include "sys/file_at.h"

namespace helve::app {
namespace {

constexpr std::int64_t kUsualRetries = 3;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Error no_model(const Surroundings& surroundings) {
  return Error{
      Code::not_found, "no model is configured, and no server of this machine has one",
      fmt::format("one of: export ANTHROPIC_API_KEY=… (or OPENAI, GEMINI, OPENROUTER) and --model "
                  "NAME; start a local server, such as `ollama serve`; or write model: {{provider, "
                  "name, base_url}} into {}. helve models shows what there is",
                  surroundings.config_file()),
      std::string(kNoModel)};
}

// Models that only turn text into numbers cannot talk.
std::string first_that_talks(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(
      names, [](const std::string& name) { return name.find("embed") == name.npos; });
  return found == names.end() ? "" : *found;
}

Result<void> find_first(ModelPlan& plan, sys::HttpClient& client, const std::stop_token& stop) {
  const std::vector<std::string> names =
      TRY(model::list_models(*plan.wire, plan.endpoint, client, stop));
  plan.endpoint.model = first_that_talks(names);
  if (!plan.endpoint.model.empty()) return {};
  return Error{Code::not_found, fmt::format("{} has no model", plan.describe()),
               plan.provider == "ollama" ? "such as: ollama pull qwen3"
                                         : "load one there, or name it: --model NAME",
               std::string(kNoModel)};
}

Result<std::unique_ptr<model::Model>> make_source(const ModelPlan& plan, sys::HttpClient& client) {
  const config::ModelSettings& settings = plan.settings;
  if (plan.provider == kScripted)
    return std::unique_ptr<model::Model>(TRY(model::ScriptedModel::parse(
        TRY(sys::read_file(settings.script, model::ScriptedModel::kMaxScript)))));
  if (plan.provider == kRecorded)
    return std::unique_ptr<model::Model>(TRY(model::RecordedModel::parse(
        TRY(sys::read_file(settings.script, model::RecordedModel::kMaxRecord)))));
  model::Timeouts timeouts;
  if (settings.idle_seconds) timeouts.idle = milliseconds(*settings.idle_seconds);
  if (settings.total_seconds) timeouts.total = milliseconds(*settings.total_seconds);
  return std::unique_ptr<model::Model>(
      std::make_unique<model::HttpModel>(*plan.wire, plan.endpoint, client, timeouts));
}

Result<std::unique_ptr<model::Model>> record(std::unique_ptr<model::Model> inner,
                                             const std::string& path) {
  // Shared because a std::function must be copyable; there is one writer.
  auto file = std::make_shared<const sys::Fd>(TRY(sys::open_to_append(path)));
  auto write = [file, path](std::string_view line) -> Result<void> {
    if (const auto written = sys::write_all(*file, line); !written)
      return sys::to_error(written.error(), "write", path);
    return {};
  };
  return std::unique_ptr<model::Model>(
      std::make_unique<model::RecordingModel>(std::move(inner), std::move(write)));
}

// From the inside: the text protocol sees each attempt from its beginning; a record has what the
// loop saw, so that it can be told again without any of these.
Result<std::unique_ptr<model::Model>> make_model(const ModelPlan& plan,
                                                 model::json_tags::Calls calls,
                                                 sys::HttpClient& client) {
  const config::ModelSettings& settings = plan.settings;
  std::unique_ptr<model::Model> model = TRY(make_source(plan, client));
  if (settings.protocol == config::Protocol::text && plan.provider != kRecorded)
    model = std::make_unique<model::TextProtocol>(std::move(model), calls);
  // What a file tells fails for good, unless somebody wants to see it tried again.
  const std::int64_t retries = settings.retries.value_or(plan.wire ? kUsualRetries : 0);
  if (retries > 0)
    model = std::make_unique<model::RetryingModel>(
        std::move(model), model::RetrySettings{.attempts = static_cast<int>(retries) + 1});
  if (!settings.recording.empty()) return record(std::move(model), settings.recording);
  return model;
}

model::ModelFacts facts_of(const ModelPlan& plan, const config::Config& config) {
  const std::vector<model::PriceRule> rules = price_rules(config);
  model::ModelFacts facts = model::facts_of(plan.endpoint.model, rules);
  if (!facts.price && plan.is_local) facts.price = model::Price{};
  if (plan.settings.window) {
    facts.window = *plan.settings.window;
    facts.is_window_known = true;
  }
  return facts;
}

std::int64_t micro(double dollars) { return static_cast<std::int64_t>(dollars * 1'000'000 + 0.5); }

}  // namespace

Result<void> take_first(ModelPlan& plan, std::vector<model::Discovered> servers,
                        const Surroundings& surroundings) {
  for (model::Discovered& found : servers) {
    std::string name =
        plan.endpoint.model.empty() ? first_that_talks(found.models) : plan.endpoint.model;
    const bool has_it = std::ranges::find(found.models, name) != found.models.end();
    if (name.empty() || !has_it) continue;
    plan.provider = found.preset->name;
    plan.wire = model::find_wire(found.preset->wire);
    plan.endpoint = std::move(found.endpoint);
    plan.endpoint.model = std::move(name);
    return {};
  }
  return no_model(surroundings);
}

config::CallOrder order_of(const config::Loaded& settings, bool is_text_protocol) {
  if (is_text_protocol && !settings.decider("agent.order")) return config::CallOrder::first_only;
  return settings.config.agent.order;
}

std::vector<model::PriceRule> price_rules(const config::Config& config) {
  std::vector<model::PriceRule> rules;
  for (const config::PriceSettings& each : config.prices) {
    model::PriceRule rule{.pattern = each.model, .price = {}, .window = each.window};
    if (each.input || each.output) {
      const std::int64_t input = micro(each.input.value_or(0));
      rule.price = model::Price{.input = input,
                                .output = micro(each.output.value_or(0)),
                                .cache_read = each.cache_read ? micro(*each.cache_read) : input,
                                .cache_write = each.cache_write ? micro(*each.cache_write) : input};
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<ChosenModel> choose_model(const config::Loaded& settings, std::string_view agent,
                                 const ModelFlags& flags, const Surroundings& surroundings,
                                 sys::HttpClient& client, std::stop_token stop) {
  ModelPlan plan = TRY(plan_model(settings, agent, flags, surroundings));
  if (std::optional<Error> problem = plan.find_problem()) return std::move(*problem);
  if (plan.provider.empty()) {
    auto servers = model::discover(environment_of(surroundings), client, stop);
    if (stop.stop_requested()) return Error{Code::cancelled, "stopped while looking for a model"};
    TRY(take_first(plan, std::move(servers), surroundings));
  } else if (plan.endpoint.model.empty()) {
    TRY(find_first(plan, client, stop));
  }
  ChosenModel chosen;
  chosen.is_text_protocol = plan.settings.protocol == config::Protocol::text;
  const bool is_one = order_of(settings, chosen.is_text_protocol) == config::CallOrder::first_only;
  chosen.model = TRY(make_model(
      plan, is_one ? model::json_tags::Calls::one : model::json_tags::Calls::many, client));
  chosen.provider = plan.provider;
  chosen.name = plan.endpoint.model;
  if (!plan.wire) chosen.script = plan.settings.script;
  chosen.facts = facts_of(plan, settings.config);
  if (plan.settings.effort)
    chosen.effort = static_cast<model::Effort>(static_cast<int>(*plan.settings.effort) + 1);
  chosen.temperature = plan.settings.temperature;
  chosen.max_output_tokens = plan.settings.max_output_tokens.value_or(0);
  chosen.description = plan.describe();
  return chosen;
}

}  // namespace helve::app
