#include "app/wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/verbose.h"
#include "base/text.h"
#include "config/files.h"
#include "config/yaml.h"
#include "store/call_store.h"
#include "sys/id.h"

namespace helve::app {
namespace {

// Groups that are served first when there are more tools than fit.
constexpr std::string_view kServedGroups[] = {"fs", "search", "edit", "runtime", "memory", "results", "undo"};
constexpr std::string_view kDefaultAgent = "main";

std::chrono::milliseconds milliseconds(double seconds) { return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

Result<config::Sources> sources_of(const cli::Options& options, const Surroundings& surroundings, const std::string& workspace) {
  config::Sources sources{.user_file = surroundings.config_file(),
                          .workspace = workspace,
                          .trust_file = surroundings.trust_file(),
                          .home = surroundings.home,
                          .flags = config_flags(options, surroundings.current_directory),
                          .environment = surroundings.environment};
  if (!options.config) return sources;
  sources.environment.erase("HELVE_CONFIG");
  sources.user_file = *options.config;
  if (!TRY(config::read_own_file(sources.user_file, config::kMaxYamlBytes)))
    return Error{Code::invalid_argument, fmt::format("'{}' does not exist", escape_for_display(sources.user_file)), "--config names it", "invalid_config"};
  return sources;
}

Result<config::Loaded> load_config(const cli::Options& options, const Surroundings& surroundings, const std::string& workspace) {
  Result<config::Loaded> loaded = config::load(TRY(sources_of(options, surroundings, workspace)));
  // However a config file is wrong, to the shell it is wrong input.
  if (!loaded && loaded.error().type == "invalid_config") loaded.error().code = Code::invalid_argument;
  return loaded;
}

workspace::Options workspace_options(const std::vector<std::string>& roots, const cli::Options& options, const config::Config& config) {
  using workspace::Access;
  const Access own = options.read_only ? Access::read_only : Access::writable;
  workspace::Options out{.breadth = workspace::Breadth::any, .durability = config.sync ? workspace::Durability::synced : workspace::Durability::unsynced};
  for (const std::string& root : roots) out.roots.push_back({root, own});
  for (const config::Root& root : config.roots) {
    const bool writable = root.access == config::Access::writable && !options.read_only;
    out.roots.push_back({root.path, writable ? Access::writable : Access::read_only});
  }
  return out;
}

struct Root {
  std::string path;
  workspace::Breadth breadth;
  std::string from;
};
Root root_of(const cli::Options& options, const Surroundings& surroundings) {
  if (options.root) return {*options.root, workspace::Breadth::any, "--root"};
  return {surroundings.current_directory, workspace::Breadth::narrow, "the current directory"};
}

using Workspace = std::unique_ptr<workspace::Workspace>;

// The root alone, before any configuration is known; or why it cannot be a workspace.
Result<Workspace> open_root(const Root& root) {
  if (root.path.empty()) return Error{Code::not_found, "the current directory is gone", "give --root DIR"};
  Result<Workspace> opened = workspace::Workspace::make({.roots = {{root.path}}, .breadth = root.breadth});
  if (!opened && opened.error().type == "root_too_wide") opened.error().hint = "change to the project's directory, or give --root DIR";
  return opened;
}

// The workspace as the configuration wants it. The root was checked for being too wide, the others were named.
Result<Workspace> configured(Workspace root, const std::vector<std::string>& others, const cli::Options& options, const config::Config& config) {
  if (others.empty() && config.roots.empty() && config.sync && !options.read_only) return root;
  std::vector<std::string> roots = {root->roots().front().path};
  roots.insert(roots.end(), others.begin(), others.end());
  return workspace::Workspace::make(workspace_options(roots, options, config));
}

dispatch::Rules rules_of(const config::RuleLayer& layer) {
  dispatch::Rules rules{.source = layer.source, .allow = layer.allow, .deny = layer.deny, .ask = layer.ask};
  for (size_t i = 0; i < rules.effects.size(); ++i) rules.effects[i] = static_cast<dispatch::Verdict>(layer.effects[i]);
  return rules;
}

bool restricts(const config::RuleLayer& layer) {
  return !layer.allow.empty() || !layer.deny.empty() || !layer.ask.empty() ||
         std::ranges::any_of(layer.effects, [](config::Verdict verdict) { return verdict != config::Verdict::allow; });
}

// Null when no rule restricts anything: the stage is then absent.
Result<std::unique_ptr<dispatch::Policy>> make_policy(const World& world, const config::Loaded& settings) {
  std::vector<dispatch::Rules> layers;
  for (const config::RuleLayer& layer : settings.rules_for(world.who.agent)) {
    if (restricts(layer)) layers.push_back(rules_of(layer));
  }
  if (layers.empty() || settings.config.profile == config::Profile::bare) return nullptr;
  return std::make_unique<dispatch::Policy>(TRY(dispatch::Policy::make(*world.registry, layers)));
}

Result<void> load_tools(World& world, const cli::Options& options, Purpose purpose) {
  std::vector<Tool> tools = builtin_tools();
  const config::Config& config = world.settings.config;
  for (Tool& tool : tools) {
    // A tool that states a limit of its own has a reason for it.
    if (config.limits.inline_chars && tool.spec.limits.inline_chars == Limits{}.inline_chars)
      tool.spec.limits.inline_chars = static_cast<size_t>(*config.limits.inline_chars);
  }
  const Selection selection = selection_of(config.load, options.tools.has_value(), purpose, tools);
  world.registry = TRY(Registry::load(std::move(tools), selection));
  if (config.dialect.empty()) return {};
  world.dialect = find_dialect(config.dialect);
  if (world.dialect) return {};
  std::vector<std::string_view> known;
  for (const Dialect& dialect : dialects()) known.push_back(dialect.name);
  std::string hint = did_you_mean(config.dialect, known);
  if (hint.empty()) hint = fmt::format("known: {}", fmt::join(known, ", "));
  return Error{Code::invalid_argument, fmt::format("there is no dialect '{}'", escape_for_display(config.dialect)), hint, "unknown_dialect"};
}

Result<void> add_hooks(World& world, const Surroundings& surroundings) {
  const config::Config& config = world.settings.config;
  if (!config.hooks.enabled || surroundings.config_directory.empty()) return {};
  hooks::ScriptHooks::Found found = TRY(hooks::ScriptHooks::find(
      surroundings.hooks_directory(), {.timeout = milliseconds(config.hooks.timeout_seconds), .environment = surroundings.environment}));
  world.hooks = std::move(found.hooks);
  std::ranges::move(found.notices, std::back_inserter(world.notices));
  return {};
}

Result<dispatch::Stages> make_stages(World& world, const Surroundings& surroundings, const Tell& tell) {
  const config::Config& config = world.settings.config;
  dispatch::Stages stages;
  if (config.limits.timeout_seconds) stages.timeout = milliseconds(*config.limits.timeout_seconds);
  if (config.verbose) show_calls(stages, tell);
  if (config.profile == config::Profile::bare) return stages;
  if (world.opener) {
    world.results = std::make_unique<store::StoreResults>(*world.opener);
    stages.results = world.results.get();
    if (config.record) {
      world.recorder = std::make_unique<store::StoreRecorder>(
          *world.opener, store::RecorderOptions{.on_problem = [tell](std::string problem) { tell(fmt::format("helve: {}\n", escape_for_display(problem))); }});
      stages.recorder = world.recorder.get();
    }
  }
  TRY(add_hooks(world, surroundings));
  stages.hooks = world.hooks.get();
  return stages;
}

Result<void> connect(World& world, const Surroundings& surroundings, const Tell& tell) {
  if (!surroundings.state_directory.empty() && world.settings.config.profile != config::Profile::bare) {
    world.opener.emplace(surroundings.database(), store::Options{}, world.clock);
  }
  dispatch::Capabilities capabilities{.changing_files = &world.files, .clock = &world.clock};
  if (world.opener) capabilities.store = [opener = *world.opener] { return std::make_shared<store::CallStore>(opener); };
  world.dispatcher = std::make_unique<dispatch::Dispatcher>(*world.registry, std::move(capabilities), TRY(make_stages(world, surroundings, tell)));
  return {};
}

void use(World& world, Workspace files, std::unique_ptr<dispatch::Policy> policy) {
  world.files = files.get();
  world.policy = policy.get();
  if (files) world.workspaces.push_back(std::move(files));
  if (policy) world.policies.push_back(std::move(policy));
}

}  // namespace

JsonObject config_flags(const cli::Options& options, const std::string& current_directory) {
  JsonObject flags, tools;
  if (options.tools) {
    if (*options.tools == "all" || *options.tools == "none") {
      tools["load"] = *options.tools;
    } else {
      JsonArray names;
      for (std::string_view name : split(*options.tools, ',')) {
        if (!trim(name).empty()) names.emplace_back(trim(name));
      }
      tools["load"] = std::move(names);
    }
  }
  if (options.read_only) tools["effects"] = JsonObject{{"write", "deny"}, {"execute", "deny"}, {"network", "deny"}};
  if (!tools.empty()) flags["tools"] = std::move(tools);
  JsonArray roots;
  for (const std::string& path : options.add_dir) {
    const bool is_relative = !path.starts_with('/') && !path.starts_with("~/");
    roots.push_back(JsonObject{{"path", is_relative ? current_directory + "/" + path : path}, {"access", "writable"}});
  }
  if (!roots.empty()) flags["roots"] = std::move(roots);
  if (options.agent && *options.agent != kDefaultAgent) flags["agent"] = *options.agent;
  if (options.profile == cli::Profile::bare) flags["profile"] = "bare";
  if (options.dialect) flags["dialect"] = *options.dialect;
  if (options.timeout) flags["limits"] = JsonObject{{"timeout_seconds", *options.timeout}};
  if (options.verbose) flags["verbose"] = true;
  if (!options.record) flags["record"] = false;
  return flags;
}

Selection selection_of(const config::Load& load, bool is_explicit, Purpose purpose, const std::vector<Tool>& tools) {
  if (load.kind == config::Load::Kind::none) return LoadNone{};
  if (load.kind == config::Load::Kind::names) return LoadNames{load.names};
  if (purpose != Purpose::serve || is_explicit || tools.size() <= kMaxServedTools) return LoadAll{};
  LoadNames served;
  for (const Tool& tool : tools) {
    const bool listed = std::ranges::find(kServedGroups, tool.spec.group) != std::end(kServedGroups);
    if (listed && served.names.size() < kMaxServedTools) served.names.push_back(tool.spec.name);
  }
  return served;
}

Result<std::unique_ptr<World>> make_world(const cli::Options& options, const Surroundings& surroundings, Purpose purpose, const Tell& tell) {
  auto world = std::make_unique<World>();
  const Root root = root_of(options, surroundings);
  world->root_from = root.from;
  Result<Workspace> opened = open_root(root);
  if (!opened && (purpose == Purpose::call || options.root)) return std::move(opened).error();
  if (!opened) world->no_files = opened.error();
  const std::string path = opened ? (*opened)->roots().front().path : "";
  world->settings = TRY(load_config(options, surroundings, path));
  world->notices = world->settings.notices;

  const config::Config& config = world->settings.config;
  if (config.profile == config::Profile::bare && options.read_only)
    return Error{Code::invalid_argument, "--read-only is a policy, and the bare profile has none", "leave one of them out", "usage"};
  world->who = {.agent = options.agent.value_or(config.agent.empty() ? std::string(kDefaultAgent) : config.agent),
                .user = surroundings.user,
                .workspace = path,
                .session = options.session.value_or(sys::new_id("s_", world->clock))};
  TRY(load_tools(*world, options, purpose));
  Workspace files;
  if (opened) files = TRY(configured(std::move(*opened), {}, options, config));
  use(*world, std::move(files), TRY(make_policy(*world, world->settings)));
  TRY(connect(*world, surroundings, tell));
  return world;
}

Result<void> move_world(World& world, const std::vector<std::string>& roots, const cli::Options& options, const Surroundings& surroundings) {
  if (roots.empty()) return Error{Code::invalid_argument, "the client has no directory that could be the workspace"};
  std::vector<Workspace> opened;
  for (const std::string& root : roots) opened.push_back(TRY(open_root({root, workspace::Breadth::narrow, ""})));
  config::Loaded settings = TRY(load_config(options, surroundings, opened.front()->roots().front().path));
  Workspace files = TRY(configured(std::move(opened.front()), {roots.begin() + 1, roots.end()}, options, settings.config));
  auto policy = TRY(make_policy(world, settings));
  for (const std::string& notice : settings.notices) {
    if (std::ranges::find(world.notices, notice) == world.notices.end()) world.notices.push_back(notice);
  }
  use(world, std::move(files), std::move(policy));
  return {};
}

}  // namespace helve::app
