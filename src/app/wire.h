// Wire: builds everything from the configuration and connects it. Nothing else knows all the modules.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/surroundings.h"
#include "cli/options.h"
#include "config/config.h"
#include "dispatch/dispatcher.h"
#include "hooks/script_hooks.h"
#include "store/recorder.h"
#include "store/results.h"
#include "sys/clock.h"
#include "workspace/workspace.h"

namespace helve::app {

// What the world is built for. Only a tool call on the command line cannot do without a workspace: an MCP client may
// name one later, and those who only look want to know why there is none.
enum class Purpose { call, serve, inspect };

// Everything that calls need, in the order in which it depends on each other; it is destroyed from the end, so that
// the recorder still writes what is waiting.
struct World {
  sys::RealClock clock;
  config::Loaded settings;
  std::vector<std::string> notices;  // what was ignored, and why
  std::optional<Registry> registry;
  const Dialect* dialect = nullptr;
  Identity who;

  std::string root_from;          // how the root was chosen, for people
  std::optional<Error> no_files;  // why there is no workspace
  // The last one is in use; calls that began earlier may still use those before it.
  std::vector<std::unique_ptr<workspace::Workspace>> workspaces;
  std::vector<std::unique_ptr<dispatch::Policy>> policies;
  std::atomic<workspace::Workspace*> files = nullptr;
  std::atomic<const dispatch::Policy*> policy = nullptr;  // null: everything loaded is allowed

  std::optional<store::Opener> opener;
  std::unique_ptr<store::StoreResults> results;
  std::unique_ptr<store::StoreRecorder> recorder;
  std::unique_ptr<hooks::ScriptHooks> hooks;
  std::unique_ptr<dispatch::Dispatcher> dispatcher;
};

// Where a line for people goes; called on any thread.
using Tell = std::function<void(std::string_view)>;

// Opens no database, starts no thread and runs no program: those come with the first use.
Result<std::unique_ptr<World>> make_world(const cli::Options& options, const Surroundings& surroundings, Purpose purpose, const Tell& tell);

// Moves to the directories that an MCP client works in, with their own configuration. On failure all stays as it was.
Result<void> move_world(World& world, const std::vector<std::string>& roots, const cli::Options& options, const Surroundings& surroundings);

// Which tools are loaded. Models choose badly among many tools, so MCP clients get at most kMaxServedTools unless
// somebody asked for more.
constexpr size_t kMaxServedTools = 20;
Selection selection_of(const config::Load& load, bool is_explicit, Purpose purpose, const std::vector<Tool>& tools);

// The command line as a config file would say it.
JsonObject config_flags(const cli::Options& options, const std::string& current_directory);

}  // namespace helve::app
