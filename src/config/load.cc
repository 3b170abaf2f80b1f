#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "config/config.h"
#include "config/files.h"
#include "config/layer.h"
#include "config/trust.h"
#include "config/yaml.h"
#include "schema/schema.h"
#include "sys/file_at.h"

namespace helve::config {
namespace {

enum class Trust : unsigned char { full, narrow };

constexpr std::uint32_t kOthersRead = 0044;  // bits of a mode

// What `tools.load` means, or nothing when it is neither all, none nor a list of names.
std::optional<Load> to_load(const Json& value) {
  if (value == "all") return Load{};
  if (value == "none") return Load{Load::Kind::none, {}};
  const JsonArray* items = value.if_array();
  if (!items || items->empty()) return std::nullopt;
  Load load{Load::Kind::names, {}};
  for (const Json& item : *items) {
    if (!item.is_string()) return std::nullopt;
    load.names.emplace_back(item.get_string());
  }
  return load;
}

class Loader {
 public:
  explicit Loader(const Sources& sources) : sources_(sources) {}

  Result<Loaded> load() {
    TRY(add_user_file());
    TRY(add_workspace_file());
    add(environment_layer(sources_.environment, loaded_.notices), Trust::full);
    add(
        Layer{
            .source = std::string(kCommandLine), .value = sources_.flags, .is_command_line = true},
        Trust::full);
    TRY(check_agent());
    if (!complaints_.empty()) return complaints_.to_error();
    fill_config();
    return std::move(loaded_);
  }

 private:
  Result<void> add_user_file() {
    std::string path = sources_.user_file;
    const auto named = sources_.environment.find("HELVE_CONFIG");
    const bool is_named = named != sources_.environment.end() && !named->second.empty();
    if (is_named) path = named->second;
    loaded_.user_file = path;
    if (path.empty()) return {};
    const std::optional<std::string> content = TRY(read_own_file(path, kMaxYamlBytes));
    if (content) {
      loaded_.files.push_back({path});
      add_text(path, *content, std::nullopt, Trust::full);
      warn_of_readable_key(path);
    } else if (is_named) {
      return Error{Code::not_found, fmt::format("'{}' does not exist", escape_for_display(path)),
                   "HELVE_CONFIG names it; correct or unset that variable", "invalid_config"};
    }
    return {};
  }

  void warn_of_readable_key(const std::string& path) {
    if (loaded_.layers.empty() || !holds_key(loaded_.layers.back())) return;
    const auto status = sys::status_of(path);
    if (status && (status->mode & kOthersRead) != 0)
      loaded_.notices.push_back(fmt::format(
          "{} has a key in it, and others may read it (chmod 600)", escape_for_display(path)));
  }

  Result<void> add_workspace_file() {
    if (sources_.workspace.empty()) return {};
    auto file = read_workspace_file(sources_.workspace);
    if (!file && file.error().type == "symbolic_link") {
      loaded_.notices.push_back(
          fmt::format("{}; it is ignored ({})", file.error().message, file.error().hint));
      return {};
    }
    if (!file) return std::move(file).error();
    if (!*file) return {};
    const WorkspaceFile& found = **file;
    const bool trusted = is_trusted(found);
    loaded_.files.push_back({found.path, trusted});
    const std::string workspace =
        found.path.substr(0, found.path.size() - std::string_view(kWorkspaceConfig).size());
    add_text(found.path, found.content, workspace, trusted ? Trust::full : Trust::narrow);
    return {};
  }

  bool is_trusted(const WorkspaceFile& file) {
    if (sources_.trust_file.empty()) return false;
    const Result<bool> trusted =
        TrustStore(sources_.trust_file).is_trusted(file.path, file.content);
    if (!trusted)
      loaded_.notices.push_back(fmt::format("nothing is trusted: {}", describe(trusted.error())));
    return trusted && *trusted;
  }

  void add_text(const std::string& path, std::string_view text, std::optional<std::string> base,
                Trust trust) {
    YamlDocument document = parse_yaml(text);
    Layer layer{.source = escape_for_display(path),
                .value = std::move(document.value),
                .lines = std::move(document.lines),
                .base = std::move(base)};
    for (const YamlProblem& problem : document.problems)
      complaints_.add_line(layer, problem.line, problem.message);
    if (document.problems.empty()) add(std::move(layer), trust);
  }

  void add(Layer layer, Trust trust) {
    const size_t before = complaints_.size();
    if (trust == Trust::narrow) {
      Settings all;  // the whole file must be right, also what is then ignored
      decode(layer, all);
      if (complaints_.size() > before) return;
      layer = narrowed(layer, settings_, loaded_.notices);
    }
    settings_.tools.allow.clear(), settings_.tools.deny.clear(), settings_.tools.ask.clear();
    settings_.tools.effects = {};
    settings_.agents.clear();
    settings_.approvals.allow.clear();
    settings_.commands.clear();
    const ModelSettings model = std::exchange(settings_.model, {});
    const EmbeddingSettings embeddings = std::exchange(settings_.embeddings, {});
    decode(layer, settings_);
    settings_.model = over(settings_.model, model);
    settings_.embeddings = over(settings_.embeddings, embeddings);
    const bool is_of_workspace = layer.base && !layer.base->empty();
    if (is_of_workspace && holds_key(layer))
      complaints_.add(layer, "", "a key does not belong into a workspace's file",
                      "key_env names a variable that holds it");
    if (complaints_.size() > before) return;
    take_rules(layer, trust);
    if (!layer.value.get_object().empty()) loaded_.layers.push_back(std::move(layer));
  }

  // Fills what the layer mentions; the rest of `settings` keeps the values of the places before.
  void decode(const Layer& layer, Settings& settings) {
    std::vector<schema::Problem> problems;
    schema::decode(schema::kType<Settings>, layer.value, &settings, problems);
    for (const schema::Problem& problem : problems) {
      const bool unknown = problem.message == "unknown parameter";
      const bool is_secret = problem.path.ends_with("model.key");
      complaints_.add(layer, problem.path,
                      unknown     ? "unknown key"
                      : is_secret ? "expected text"
                                  : problem.message,
                      problem.hint);
    }
    if (!problems.empty()) return;
    if (!to_load(settings.tools.load)) {
      complaints_.add(layer, "tools.load", "expected all, none or a list of names",
                      "a list has at least one name");
      settings.tools.load = "all";  // said once is enough
    }
    if (find(layer.value, "roots")) {
      for (size_t i = 0; i < settings.roots.size(); ++i)
        resolve_path(layer, sources_.home, fmt::format("roots[{}].path", i), settings.roots[i].path,
                     complaints_);
    }
    if (find(layer.value, "routes"))
      check_routes(layer, sources_.home, settings.routes, complaints_);
    if (find(layer.value, "model"))
      check_model(layer, sources_.home, "model", settings.model, complaints_);
    if (find(layer.value, "embeddings"))
      check_embeddings(layer, sources_.home, settings.embeddings, complaints_);
    check_ids(layer, settings.agents);
    check_agents(layer, sources_.home, settings.agents, complaints_);
    for (size_t i = 0; i < settings.approvals.allow.size(); ++i)
      resolve_workspace(layer, fmt::format("approvals.allow[{}].workspace", i),
                        settings.approvals.allow[i].workspace);
    for (size_t i = 0; i < settings.commands.size(); ++i)
      resolve_workspace(layer, fmt::format("commands[{}].workspace", i),
                        settings.commands[i].workspace);
  }

  // Rules speak of workspaces by their absolute paths.
  void resolve_workspace(const Layer& layer, const std::string& at, std::string& path) {
    if (path.empty() || path.starts_with('/')) return;
    const bool is_below_home = path == "~" || path.starts_with("~/");
    if (is_below_home && !sources_.home.empty()) {
      path.replace(0, 1, sources_.home);
      return;
    }
    complaints_.add(layer, at,
                    fmt::format("'{}' {}", escape_for_display(path),
                                is_below_home ? "needs a home directory" : "is relative"),
                    "begin with / or ~/");
  }

  void check_ids(const Layer& layer, const std::vector<Agent>& agents) {
    std::map<std::string, size_t> seen;
    for (size_t i = 0; i < agents.size(); ++i) {
      auto [first, is_new] = seen.emplace(agents[i].id, i);
      if (is_new) continue;
      complaints_.add(layer, fmt::format("agents[{}].id", i),
                      fmt::format("'{}' is the id of agents[{}] already",
                                  escape_for_display(agents[i].id), first->second));
    }
  }

  template <class Rules>
  void take(std::string source, std::string agent, std::string path, Rules& rules) {
    const Effects& effects = rules.effects;
    RuleLayer layer{
        std::move(source),      std::move(agent),
        std::move(rules.allow), std::move(rules.deny),
        std::move(rules.ask),   {effects.read, effects.write, effects.execute, effects.network},
        loaded_.layers.size(),  std::move(path)};
    const bool says_nothing = layer.allow.empty() && layer.deny.empty() && layer.ask.empty() &&
                              layer.effects == decltype(layer.effects){};
    if (!says_nothing) loaded_.rules.push_back(std::move(layer));
  }

  template <class Rule>
  void place(std::string_view list, std::vector<Rule>& rules, std::vector<Placed<Rule>>& all) {
    for (size_t i = 0; i < rules.size(); ++i)
      all.push_back({std::move(rules[i]), loaded_.layers.size(), fmt::format("{}[{}]", list, i)});
    rules.clear();
  }

  void take_rules(const Layer& layer, Trust trust) {
    take(layer.source, "", "tools", settings_.tools);
    place("approvals.allow", settings_.approvals.allow, loaded_.allow);
    place("commands", settings_.commands, loaded_.commands);
    for (size_t i = 0; i < settings_.agents.size(); ++i) {
      Agent& agent = settings_.agents[i];
      take(fmt::format("agent '{}' in {}", escape_for_display(agent.id), layer.source), agent.id,
           fmt::format("agents[{}].tools", i), agent.tools);
      // An untrusted file may bind an agent more tightly, but not bring one into being.
      if (trust == Trust::full) take_agent(std::move(agent));
    }
  }

  void take_agent(Agent agent) {
    std::vector<Agent>& all = loaded_.config.agents;
    const auto known = std::ranges::find(all, agent.id, &Agent::id);
    if (known == all.end()) {
      agent.tools = {};
      all.push_back(std::move(agent));
      return;
    }
    known->model = over(agent.model, known->model);
    if (!agent.prompt.empty() || !agent.prompt_file.empty()) {
      known->prompt = std::move(agent.prompt);
      known->prompt_file = std::move(agent.prompt_file);
    }
    if (!agent.description.empty()) known->description = std::move(agent.description);
    if (!agent.memory.empty()) known->memory = std::move(agent.memory);
  }

  Result<void> check_agent() {
    const std::string& wanted = settings_.default_agent;
    if (wanted.empty() || loaded_.agent(wanted)) return {};
    std::vector<std::string_view> ids;
    for (const Agent& agent : loaded_.config.agents) ids.push_back(agent.id);
    const std::string message = fmt::format("no agent '{}'", escape_for_display(wanted));
    std::string hint = did_you_mean(wanted, ids);
    const Layer* layer = loaded_.decider("default_agent");
    if (layer && layer->is_command_line && complaints_.empty()) {
      // No file is wrong, so there is no place in one to point at.
      if (hint.empty() && !loaded_.user_file.empty())
        hint = fmt::format("add it under agents: in {}", escape_for_display(loaded_.user_file));
      return Error{Code::invalid_argument, message, hint, "invalid_config"};
    }
    if (hint.empty())
      hint = ids.empty() ? "agents lists none" : fmt::format("known: {}", fmt::join(ids, ", "));
    complaints_.add(layer ? *layer : Layer{}, "default_agent", message, hint);
    return {};
  }

  void fill_config() {
    Config& config = loaded_.config;
    config.load = to_load(settings_.tools.load).value_or(Load{});
    config.model = std::move(settings_.model);
    config.embeddings = std::move(settings_.embeddings);
    config.prices = std::move(settings_.prices);
    config.default_agent = std::move(settings_.default_agent);
    config.agent = settings_.agent;
    config.approvals = settings_.approvals;
    config.roots = std::move(settings_.roots);
    config.limits = settings_.limits;
    config.hooks = settings_.hooks;
    config.journal = settings_.journal;
    config.kb = settings_.kb;
    config.mcp = settings_.mcp;
    config.sandbox = settings_.sandbox;
    config.exec = settings_.exec;
    config.routes = std::move(settings_.routes);
    config.record = settings_.record;
    config.sync = settings_.sync;
    config.read_hard_links = settings_.read_hard_links;
    config.index = settings_.index;
    config.profile = settings_.profile;
    config.dialect = std::move(settings_.dialect);
    config.color = settings_.color;
    config.verbose = settings_.verbose;
  }

  const Sources& sources_;
  Settings settings_;
  Complaints complaints_;
  Loaded loaded_;
};

}  // namespace

const Agent* Loaded::agent(std::string_view id) const {
  const auto found = std::ranges::find(config.agents, id, &Agent::id);
  return found == config.agents.end() ? nullptr : &*found;
}

ModelSettings Loaded::model_of(std::string_view id) const {
  const Agent* found = agent(id);
  return found ? over(found->model, config.model) : config.model;
}

std::vector<RuleLayer> Loaded::rules_for(std::string_view agent) const {
  std::vector<RuleLayer> found;
  for (const RuleLayer& layer : rules) {
    if (layer.agent.empty()) found.push_back(layer);
  }
  if (agent.empty()) return found;
  for (const RuleLayer& layer : rules) {
    if (layer.agent == agent) found.push_back(layer);
  }
  return found;
}

Result<Loaded> load(const Sources& sources) { return Loader(sources).load(); }

}  // namespace helve::config
