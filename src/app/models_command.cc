// helve models: who has models, and which.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/app.h"
#include "app/model_choice.h"
#include "base/text.h"
#include "cli/render.h"

namespace helve::app {
namespace {

constexpr auto kAskedNames = [] {
  std::array<std::string_view, std::size(model::kPresets) + 1> names{"discover"};
  std::ranges::transform(model::kPresets, names.begin() + 1, &model::Preset::name);
  return names;
}();

struct ModelsInput {
  std::string provider;
  std::string base_url;
  static constexpr auto schema() {
    return schema::object(
        "List providers of models, or the models of one",
        schema::opt<&ModelsInput::provider>(
            "A provider, to list its models; `discover`: the servers of this machine")
            .suggest(kAskedNames)
            .positional()
            .max_length(64),
        schema::opt<&ModelsInput::base_url>(
            "Where the provider's API is instead of its usual place")
            .max_length(4096));
  }
};

constexpr std::string_view kDetails =
    "Without a provider: all of them, where their keys are looked for, and which servers of this "
    "machine answer. Keys are never shown. `model` in the configuration, or HELVE_MODEL_PROVIDER "
    "and HELVE_MODEL_NAME, choose the one that is used; docs/models.md explains it.";

constexpr size_t kMaxShownModels = 3;  // of a server, in the list of providers

// The address without what may be a secret in it.
std::string shown_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t scheme = url.find("//");
  const size_t at = url.rfind('@');
  if (at == url.npos || scheme == url.npos) return escape_for_display(url);
  return escape_for_display(std::string(url.substr(0, scheme + 2)) + "…" +
                            std::string(url.substr(at)));
}

struct ProviderRow {
  const model::Preset* preset = nullptr;
  model::Endpoint endpoint;
  std::string key_from;  // empty: there is no key
  const model::Discovered* answers = nullptr;

  JsonObject json() const {
    JsonObject out{{"name", preset->name},
                   {"base_url", shown_url(endpoint.base_url)},
                   {"format", preset->wire},
                   {"local", preset->is_local}};
    if (preset->is_local) {
      out["answers"] = answers != nullptr;
      if (answers) out["models"] = JsonArray(answers->models.begin(), answers->models.end());
    } else {
      out["key_variable"] = preset->key;
      out["has_key"] = !key_from.empty();
    }
    return out;
  }

  std::string state() const {
    if (!preset->is_local)
      return key_from.empty() ? fmt::format("no key: {} is not set", preset->key)
                              : "key from " + key_from;
    if (!answers) return "does not answer";
    std::vector<std::string> names(
        answers->models.begin(),
        answers->models.begin() +
            static_cast<std::ptrdiff_t>(std::min(kMaxShownModels, answers->models.size())));
    if (answers->models.size() > names.size())
      names.push_back(fmt::format("{} more", answers->models.size() - names.size()));
    return "answers: " + (names.empty() ? "it has no models" : join(names, ", "));
  }
};

class Models {
 public:
  Models(App& app, cli::Run& run, const config::Loaded& settings, std::stop_token stop)
      : around_(app.surroundings()),
        run_(run),
        settings_(settings),
        stop_(std::move(stop)),
        client_(sys::make_http_client()) {}

  int show_providers() {
    const std::vector<model::Discovered> found =
        model::discover(environment_of(around_), *client_, stop_);
    Result<ModelPlan> plan = plan_model(settings_, settings_.config.default_agent, {}, around_);
    if (plan && plan->provider.empty()) {
      if (Result<void> taken = take_first(*plan, found, around_); !taken) plan = taken.error();
    }
    JsonArray all;
    cli::Rows rows;
    for (const model::Preset& preset : model::presets()) {
      const ProviderRow row = row_of(preset, plan, found);
      all.push_back(row.json());
      rows.emplace_back(preset.name,
                        fmt::format("{}\n{}", shown_url(row.endpoint.base_url), row.state()));
    }
    const std::optional<Error> problem = plan ? plan->find_problem() : plan.error();
    if (run_.options.json) {
      JsonObject out{{"providers", std::move(all)}};
      out["used"] =
          problem ? Json(JsonObject{{"error", to_json(*problem)}})
                  : Json(JsonObject{{"provider", plan->provider}, {"model", plan->endpoint.model}});
      cli::show_json(std::move(out), run_.screen);
      return 0;
    }
    std::string out = cli::two_columns(rows, run_.screen.width, run_.screen.out.style);
    out += problem ? fmt::format("\nNone would be used: {}\n", helve::describe(*problem))
                   : fmt::format("\nUsed: {}\n", plan->describe());
    run_.screen.out.write(out);
    return 0;
  }

  int show_discovered() {
    const std::vector<model::Discovered> found =
        model::discover(environment_of(around_), *client_, stop_);
    JsonArray all;
    std::string out;
    for (const model::Discovered& server : found) {
      all.push_back(JsonObject{{"provider", server.preset->name},
                               {"base_url", shown_url(server.endpoint.base_url)},
                               {"models", JsonArray(server.models.begin(), server.models.end())}});
      out += fmt::format("{} ({})\n", server.preset->name, shown_url(server.endpoint.base_url));
      for (const std::string& name : server.models) out += "  " + escape_for_display(name) + "\n";
    }
    if (run_.options.json)
      cli::show_json(JsonObject{{"servers", std::move(all)}}, run_.screen);
    else if (found.empty())
      run_.screen.out.write(
          "no server of this machine answers; start one, such as `ollama serve`, or name its "
          "address: helve models ollama --base-url URL\n");
    else
      run_.screen.out.write(out);
    return 0;
  }

  Result<int> show_models(const ModelsInput& in) {
    ModelFlags flags;
    flags.provider = in.provider;
    flags.base_url = in.base_url;
    const ModelPlan plan =
        TRY(plan_model(settings_, settings_.config.default_agent, flags, around_));
    if (!plan.wire)
      return Error{Code::unsupported, fmt::format("{} has no list of models", plan.provider),
                   "its file tells what it says"};
    const std::vector<std::string> names =
        TRY(model::list_models(*plan.wire, plan.endpoint, *client_, stop_));
    const std::vector<model::PriceRule> rules = price_rules(settings_.config);
    JsonArray all;
    cli::Rows rows;
    for (const std::string& name : names) {
      model::ModelFacts facts = model::facts_of(name, rules);
      if (!facts.price && plan.is_local) facts.price = model::Price{};
      all.push_back(model_json(name, facts));
      rows.emplace_back(escape_for_display(name), model_text(facts, plan.is_local));
    }
    if (run_.options.json) {
      cli::show_json(JsonObject{{"provider", plan.provider},
                                {"base_url", plan.endpoint.base_url},
                                {"prices_as_of", model::kPricesAsOf},
                                {"models", std::move(all)}},
                     run_.screen);
      return 0;
    }
    std::string out = cli::two_columns(rows, run_.screen.width, run_.screen.out.style);
    if (names.empty()) out = fmt::format("{} lists no models\n", plan.provider);
    if (!plan.is_local && !names.empty())
      out += fmt::format(
          "\nDollars for a million tokens, as of {}; prices: in the configuration "
          "overrides them.\n",
          model::kPricesAsOf);
    run_.screen.out.write(out);
    return 0;
  }

 private:
  ProviderRow row_of(const model::Preset& preset, const Result<ModelPlan>& plan,
                     const std::vector<model::Discovered>& found) const {
    ProviderRow row{.preset = &preset, .endpoint = {}, .key_from = {}};
    row.endpoint = model::endpoint_of(preset, environment_of(around_));
    if (!row.endpoint.key.empty())
      row.key_from = around_.has(std::string(preset.key)) ? preset.key : preset.other_key;
    if (plan && plan->provider == preset.name) {
      row.endpoint = plan->endpoint;
      row.key_from = plan->key_from;
    }
    const auto answers = std::ranges::find(found, &preset, &model::Discovered::preset);
    if (answers != found.end()) row.answers = &*answers;
    return row;
  }

  static double in_dollars(std::int64_t micro) { return static_cast<double>(micro) / 1'000'000; }

  static JsonObject model_json(const std::string& name, const model::ModelFacts& facts) {
    JsonObject out{{"name", name}};
    if (facts.is_window_known) out["window"] = facts.window;
    if (facts.max_output > 0) out["max_output"] = facts.max_output;
    if (facts.price)
      out["price"] = JsonObject{{"input", in_dollars(facts.price->input)},
                                {"output", in_dollars(facts.price->output)},
                                {"cache_read", in_dollars(facts.price->cache_read)},
                                {"cache_write", in_dollars(facts.price->cache_write)}};
    return out;
  }

  static std::string model_text(const model::ModelFacts& facts, bool is_local) {
    std::vector<std::string> words;
    if (facts.is_window_known) words.push_back(fmt::format("{}k", facts.window / 1000));
    if (facts.price && (!is_local || *facts.price != model::Price{}))
      words.push_back(fmt::format("${:g} in, ${:g} out", in_dollars(facts.price->input),
                                  in_dollars(facts.price->output)));
    else if (!is_local)
      words.emplace_back("unknown price");
    return join(words, ", ");
  }

  const Surroundings& around_;
  cli::Run& run_;
  const config::Loaded& settings_;
  const std::stop_token stop_;
  const std::unique_ptr<sys::HttpClient> client_;
};

Result<int> show(const ModelsInput& in, App& app, cli::Run& run) {
  const std::stop_token stop = TRY(app.watch_signals(130));
  const config::Loaded& settings = TRY(app.open(run.options, Purpose::inspect))->home->settings;
  for (const std::string& notice : settings.notices)
    app.tell()(fmt::format("helve: note: {}\n", escape_lines_for_display(notice)));
  Models models(app, run, settings, stop);
  if (in.provider == "discover") return models.show_discovered();
  if (in.provider.empty() && in.base_url.empty()) return models.show_providers();
  return models.show_models(in);
}

}  // namespace

cli::Command models_command(App& app) {
  return cli::make_command<ModelsInput>(
      "models", kDetails,
      {{"Who could be asked", "helve models"},
       {"What a provider has", "helve models anthropic"},
       {"What runs on this machine", "helve models discover"}},
      [&app](const ModelsInput& in, cli::Run& run) { return show(in, app, run); });
}

}  // namespace helve::app
