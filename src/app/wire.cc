#include "app/wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "app/roots.h"
#include "app/rules.h"
#include "app/staff.h"
#include "app/verbose.h"
#include "base/text.h"
#include "config/files.h"
#include "config/yaml.h"
#include "store/call_store.h"
#include "sys/id.h"

namespace helve::app {
namespace {

constexpr std::string_view kDefaultAgent = "main";

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Result<config::Sources> sources_of(const cli::Options& options, const Surroundings& surroundings,
                                   const std::string& workspace) {
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
    return Error{Code::invalid_argument,
                 fmt::format("'{}' does not exist", escape_for_display(sources.user_file)),
                 "--config names it; write it, or leave the flag out", "invalid_config"};
  return sources;
}

Result<config::Loaded> load_config(const cli::Options& options, const Surroundings& surroundings,
                                   const std::string& workspace) {
  Result<config::Loaded> loaded = config::load(TRY(sources_of(options, surroundings, workspace)));
  // However a config file is wrong, to the shell it is wrong input.
  if (!loaded && loaded.error().type == "invalid_config")
    loaded.error().code = Code::invalid_argument;
  if (loaded && std::ranges::any_of(loaded->layers, config::holds_key)) {
    // Commands read no key, wherever the file is.
    const std::string& file = loaded->user_file;
    const bool is_absolute = file.starts_with('/');
    loaded->config.sandbox.hidden.push_back(
        is_absolute ? file : surroundings.current_directory + "/" + file);
  }
  return loaded;
}

Result<void> add_hooks(Place& place, std::vector<std::string>& notices,
                       const Surroundings& surroundings) {
  const config::Config& config = place.settings.config;
  if (!config.hooks.enabled || surroundings.config_directory.empty()) return {};
  hooks::ScriptHooks::Found found = TRY(hooks::ScriptHooks::find(
      surroundings.hooks_directory(), {.timeout = milliseconds(config.hooks.timeout_seconds),
                                       .environment = surroundings.environment,
                                       .writable = writable_roots(place.files.get())}));
  place.hooks = std::move(found.hooks);
  std::ranges::move(found.notices, std::back_inserter(notices));
  return {};
}

workspace::JournalLimits journal_limits(const config::Config& config) {
  constexpr std::int64_t kDay = 24ll * 60 * 60 * 1000;
  return {.max_bytes = static_cast<std::uint64_t>(config.journal.max_size_mb) << 20,
          .max_age_ms = config.journal.max_age_days * kDay};
}

// Empty: what is changed cannot be undone.
std::string journal_directory(const config::Config& config, const Surroundings& surroundings) {
  const bool has_none = config.profile == config::Profile::bare || !config.journal.enabled;
  return has_none ? "" : surroundings.journal_directory();
}

// Changes that a process left half done are finished or taken back here.
void open_journal(Place& place, const Surroundings& surroundings) {
  const config::Config& config = place.settings.config;
  const std::string directory = journal_directory(config, surroundings);
  if (!directory.empty()) place.files->open_journal(directory, journal_limits(config));
}

// Nothing is opened before an agent asks for its notes.
void add_memories(World& world, Place& place, const Surroundings& surroundings) {
  const config::Config& config = place.settings.config;
  place.embedder = std::make_shared<EmbedderOnDemand>(config.embeddings, surroundings, world.clock);
  place.memories = std::make_unique<tools::AgentMemories>(
      tools::AgentMemories::Options{
          .files = place.files.get(),
          .directory_of =
              [&settings = place.settings](std::string_view agent) {
                const config::Agent* const found = settings.agent(agent);
                return found ? found->memory : std::string();
              },
          .journal_directory = journal_directory(config, surroundings),
          .journal_limits = journal_limits(config),
          .find_embedder = [embedder = place.embedder] { return embedder->get(); },
          .index_directory = config.index && config.profile != config::Profile::bare
                                 ? surroundings.memory_index_directory()
                                 : ""},
      world.clock);
}

void add_commands(World& world, Place& place, const Surroundings& surroundings, Life life) {
  place.commands = std::make_unique<process::Commands>(
      *world.supervisor, [&files = *place.files, &config = place.settings.config, surroundings,
                          life] { return command_settings(files, config, surroundings, life); });
}

// The store and what uses it, once a place wants it.
void want_store(World& world, const config::Config& config, const Surroundings& surroundings,
                const Tell& tell) {
  if (surroundings.state_directory.empty()) return;
  if (!world.opener) {
    world.opener.emplace(surroundings.database(), store::Options{.sync = config.sync}, world.clock);
    world.results = std::make_unique<store::StoreResults>(*world.opener);
  }
  if (!config.record || world.recorder) return;
  world.recorder = std::make_unique<store::StoreRecorder>(
      *world.opener, store::RecorderOptions{.on_problem = [tell](std::string problem) {
        tell(fmt::format("helve: {}\n", escape_for_display(problem)));
      }});
}

// What becomes of commands in the background is remembered where calls are.
void add_supervisor(World& world, const config::Config& config, const cli::Options& options,
                    const Surroundings& surroundings, const Tell& tell) {
  if (config.profile != config::Profile::bare) want_store(world, config, surroundings, tell);
  if (world.recorder)
    world.jobs = std::make_unique<StoredJobs>(*world.opener, [tell](const std::string& problem) {
      tell(fmt::format("helve: {}\n", escape_for_display(problem)));
    });
  world.supervisor = std::make_unique<process::Supervisor>(process::spawn_program(), world.clock,
                                                           world.jobs.get());
  world.job_notices = std::make_unique<JobNotices>(world.supervisor->jobs());
  // A session without a name of its own begins here.
  if (options.session) world.supervisor->jobs().resume(*options.session);
}

Result<void> add_rules(World& world, Place& place) {
  place.policy = TRY(make_policy(*world.registry, place.settings, place.who.agent));
  place.approvals = TRY(make_approvals(*world.registry, place.settings, *world.grants));
  place.stages.approvals = place.approvals.get();
  return {};
}

Result<void> add_stages(World& world, Place& place, std::vector<std::string>& notices,
                        const Surroundings& surroundings, const Tell& tell) {
  const config::Config& config = place.settings.config;
  dispatch::Stages& stages = place.stages;
  if (config.limits.timeout_seconds) stages.timeout = milliseconds(*config.limits.timeout_seconds);
  if (config.limits.inline_chars)
    stages.inline_chars = static_cast<size_t>(*config.limits.inline_chars);
  if (config.verbose) show_calls(stages, tell);
  stages.notices = world.job_notices.get();
  if (config.profile == config::Profile::bare) return {};
  want_store(world, config, surroundings, tell);
  stages.results = world.results.get();
  if (config.record) stages.recorder = world.recorder.get();
  TRY(add_hooks(place, notices, surroundings));
  stages.hooks = place.hooks.get();
  return {};
}

// The last step: from here on the place does not change.
std::shared_ptr<const Place> finished(World& world, std::shared_ptr<Place> place) {
  dispatch::Capabilities capabilities{.files = place->files.get(),
                                      .no_files = place->no_files,
                                      .clock = &world.clock,
                                      .dialect = world.dialect};
  if (place->settings.config.index && place->settings.config.profile != config::Profile::bare)
    capabilities.index = world.index.get();
  if (place->files && place->settings.config.profile != config::Profile::bare) {
    std::vector<search::Witness::Root> roots;
    for (const workspace::Root& root : place->files->roots()) {
      if (root.access == workspace::Access::writable) roots.push_back({root.path, &root.directory});
    }
    place->witness = std::make_unique<search::Witness>(std::move(roots));
    capabilities.witness = place->witness.get();
  }
  // What a hook makes of a file that the call wrote, such as a formatter, belongs to the call.
  if (place->files && place->stages.hooks) {
    capabilities.after_hooks = [files = place->files.get()](std::string_view call_id) {
      files->look_again(call_id);
    };
  }
  // The bare profile has no store.
  if (place->stages.results)
    capabilities.store = [opener = *world.opener] {
      return std::make_shared<store::CallStore>(opener);
    };
  const bool is_shared = place->settings.config.kb.scope == config::KbScope::user;
  if (place->stages.results && (is_shared || !place->who.workspace.empty()))
    place->library = std::make_unique<knowledge::Library>(
        is_shared ? "" : place->who.workspace,
        [embedder = place->embedder] { return embedder->get(); });
  capabilities.library = place->library.get();
  if (place->commands) capabilities.commands = place->commands.get();
  capabilities.agents = world.agents.get();
  capabilities.memories = place->memories.get();
  place->guidance = std::make_unique<guidance::Library>(place->files.get(), world.config_directory);
  capabilities.guidance = place->guidance.get();
  place->dispatcher = std::make_unique<dispatch::Dispatcher>(
      *world.registry, std::move(capabilities), place->stages);
  place->served = {place->dispatcher.get(), &place->who, place->policy.get()};
  return place;
}

std::string agent_of(const cli::Options& options, const config::Config& config) {
  return options.agent.value_or(config.default_agent.empty() ? std::string(kDefaultAgent)
                                                             : config.default_agent);
}

// What tools are told when they need files, and there are none.
Error no_workspace(const Error& why) {
  return Error{Code::denied, "there is no workspace: " + why.message, why.hint, "no_files"};
}

// The settings that were taken when the world was made and stay as they are.
std::vector<std::string> fixed_settings(const config::Config& wanted, const config::Config& used) {
  std::vector<std::string_view> keys;
  if (wanted.load != used.load) keys.push_back("tools.load");
  if (wanted.dialect != used.dialect) keys.push_back("dialect");
  if (wanted.limits.max_frame_bytes != used.limits.max_frame_bytes)
    keys.push_back("limits.max_frame_bytes");
  std::vector<std::string> notices;
  for (std::string_view key : keys)
    notices.push_back(
        fmt::format("{} of the client's workspace is not used: it counts only where helve starts "
                    "(start it there, or with --root DIR)",
                    key));
  return notices;
}

Result<std::shared_ptr<const Place>> place_with(config::Loaded settings, const std::string& path,
                                                World& world, const std::vector<Root>& roots,
                                                const cli::Options& options,
                                                const Surroundings& surroundings,
                                                const Tell& tell) {
  auto place = std::make_shared<Place>();
  place->settings = std::move(settings);
  place->who = world.home->who;
  place->who.agent = agent_of(options, place->settings.config);
  place->who.workspace = path;
  place->files = TRY(open_all(roots, options, surroundings, place->settings.config));
  open_journal(*place, surroundings);
  TRY(add_rules(world, *place));
  add_commands(world, *place, surroundings, Life::stays);
  add_memories(world, *place, surroundings);
  std::vector<std::string> notices = place->settings.notices;
  std::ranges::copy(place->files->notices(), std::back_inserter(notices));
  std::ranges::move(fixed_settings(place->settings.config, world.home->settings.config),
                    std::back_inserter(notices));
  TRY(add_stages(world, *place, notices, surroundings, tell));
  for (const std::string& notice : notices) {
    if (std::ranges::find(world.notices, notice) == world.notices.end())
      tell(fmt::format("helve: note: {}\n", escape_lines_for_display(notice)));
  }
  return finished(world, std::move(place));
}

// A configuration that became wrong since the workspace was last in use does not end its use.
Result<std::shared_ptr<const Place>> place_at(World& world, const std::vector<Root>& roots,
                                              const cli::Options& options,
                                              const Surroundings& surroundings, const Tell& tell) {
  const std::string path = TRY(open_root(roots.front(), surroundings))->roots().front().path;
  auto with = [&](config::Loaded settings) {
    return place_with(std::move(settings), path, world, roots, options, surroundings, tell);
  };
  Result<config::Loaded> settings = load_config(options, surroundings, path);
  Result<std::shared_ptr<const Place>> place =
      settings ? with(std::move(*settings)) : std::move(settings).error();
  const std::shared_ptr<const Place> known = world.last_workspace();
  if (place || known->who.workspace != path) return place;
  tell(fmt::format("helve: warning: the configuration stays as it was: {}\n",
                   escape_lines_for_display(describe(place.error()))));
  return with(known->settings);
}

// Those that can be a workspace; the others are told.
std::vector<Root> usable(const std::vector<std::string>& paths, const Surroundings& surroundings,
                         const Tell& tell) {
  std::vector<Root> roots;
  for (const std::string& path : paths) {
    if (Result<Workspace> opened = open_root({path}, surroundings))
      roots.push_back({path});
    else
      tell(fmt::format("helve: warning: a root of the client is left out: {}\n",
                       escape_lines_for_display(describe(opened.error()))));
  }
  return roots;
}

}  // namespace

std::shared_ptr<const Place> World::place() const {
  if (!moved_.load(std::memory_order_acquire)) return home;
  std::lock_guard lock(mutex_);
  return current_;
}

std::shared_ptr<const mcp::Place> World::served_place() const {
  if (!moved_.load(std::memory_order_acquire)) return nullptr;
  std::shared_ptr<const Place> now = place();
  const mcp::Place* served = &now->served;
  return {std::move(now), served};
}

std::shared_ptr<const Place> World::last_workspace() const {
  std::lock_guard lock(mutex_);
  return last_ ? last_ : home;
}

void World::move_to(std::shared_ptr<const Place> place) {
  {
    std::lock_guard lock(mutex_);
    if (place->files) last_ = place;
    current_.swap(place);
  }
  moved_.store(true, std::memory_order_release);
}

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
  if (options.read_only)
    tools["effects"] = JsonObject{{"write", "deny"}, {"execute", "deny"}, {"network", "deny"}};
  if (!tools.empty()) flags["tools"] = std::move(tools);
  JsonArray roots;
  for (const std::string& path : options.add_dir) {
    const bool is_relative = !path.starts_with('/') && !path.starts_with("~/");
    roots.push_back(JsonObject{{"path", is_relative ? current_directory + "/" + path : path},
                               {"access", "writable"}});
  }
  if (!roots.empty()) flags["roots"] = std::move(roots);
  if (options.approvals)
    flags["approvals"] = JsonObject{{"mode", cli::name_of(*options.approvals)}};
  if (options.agent && *options.agent != kDefaultAgent) flags["default_agent"] = *options.agent;
  if (options.profile == cli::Profile::bare) flags["profile"] = "bare";
  if (options.dialect) flags["dialect"] = *options.dialect;
  if (options.timeout) flags["limits"] = JsonObject{{"timeout_seconds", *options.timeout}};
  if (options.verbose) flags["verbose"] = true;
  if (!options.record) flags["record"] = false;
  return flags;
}

Result<std::unique_ptr<World>> make_world(const cli::Options& options,
                                          const Surroundings& surroundings, Purpose purpose,
                                          const Tell& tell) {
  auto world = std::make_unique<World>();
  auto place = std::make_shared<Place>();
  const bool lives = purpose == Purpose::serve || purpose == Purpose::agent;
  const bool needs_files = purpose == Purpose::call || purpose == Purpose::agent;
  if (const std::string directory = surroundings.index_directory(); !directory.empty())
    world->index = std::make_unique<search::IndexService>(
        directory,
        lives ? search::IndexService::Life::stays : search::IndexService::Life::single_call);
  const Root root = root_of(options, surroundings);
  world->root_from = root.from;
  world->config_directory = surroundings.config_directory;
  Result<Workspace> opened = open_root(root, surroundings);
  if (!opened && (needs_files || options.root)) return std::move(opened).error();
  if (!opened) place->no_files = no_workspace(opened.error());
  const std::string path = opened ? (*opened)->roots().front().path : "";
  place->settings = TRY(load_config(options, surroundings, path));
  world->notices = place->settings.notices;
  // Whoever calls from outside is the user's own program; a model is not.
  if (purpose == Purpose::agent && !place->settings.decider("approvals.mode"))
    place->settings.config.approvals.mode = config::ApprovalMode::smart;

  const config::Config& config = place->settings.config;
  add_supervisor(*world, config, options, surroundings, tell);
  place->who = {.agent = agent_of(options, config),
                .user = surroundings.user,
                .workspace = path,
                .session = options.session.value_or(sys::new_id("s_", world->clock.unix_ms()))};
  world->registry = TRY(load_tools(place->settings, options, purpose));
  world->dialect = TRY(chosen_dialect(place->settings));
  const bool needs_more =
      !config.roots.empty() || !config.sync || !config.read_hard_links || options.read_only;
  if (opened)
    place->files = needs_more ? TRY(open_all({{path, root.breadth}}, options, surroundings, config))
                              : std::move(*opened);
  if (place->files) {
    if (purpose == Purpose::call) place->files->remember_nothing();
    open_journal(*place, surroundings);
    add_commands(*world, *place, surroundings, lives ? Life::stays : Life::single_call);
    std::ranges::copy(place->files->notices(), std::back_inserter(world->notices));
  }
  add_memories(*world, *place, surroundings);
  world->grants = make_grants(place->settings.user_file, surroundings.config_lock());
  TRY(add_rules(*world, *place));
  TRY(add_stages(*world, *place, world->notices, surroundings, tell));
  if (world->opener)
    world->agents = std::make_unique<agent::AgentsOnDemand>(
        [&world = *world, &surroundings]() -> Result<agent::Agents*> {
          if (!world.staff) world.staff = TRY(Staff::make(world, surroundings, {}));
          return &world.staff->agents();
        });
  if (needs_files) {
    // Who serves a client has no person at its terminal.
    world->approver = std::make_unique<TerminalApprover>(surroundings.terminal);
    place->stages.approver = world->approver.get();
  }
  world->home = finished(*world, std::move(place));
  return world;
}

Result<void> move_world(World& world, const std::vector<std::string>& paths,
                        const cli::Options& options, const Surroundings& surroundings,
                        const Tell& tell) {
  const std::vector<Root> roots = usable(paths, surroundings, tell);
  Result<std::shared_ptr<const Place>> place =
      Error{Code::not_found, "the client named no directory that can be one"};
  if (!roots.empty()) place = place_at(world, roots, options, surroundings, tell);
  if (!place) {
    leave_workspace(world, describe(place.error()));
    return std::move(place).error();
  }
  world.move_to(std::move(*place));
  return {};
}

void leave_workspace(World& world, std::string why) {
  const std::shared_ptr<const Place> now = world.place();
  auto place = std::make_shared<Place>();
  place->settings = now->settings;
  place->who = now->who;
  place->who.workspace.clear();
  place->no_files = no_workspace({Code::denied, std::move(why),
                                  "let the client name its roots, or start helve with --root DIR"});
  place->policy = now->policy;
  place->approvals = now->approvals;
  place->hooks = now->hooks;
  place->embedder = now->embedder;
  place->stages = now->stages;
  world.move_to(finished(world, std::move(place)));
}

}  // namespace helve::app
