// Wire: builds everything from the configuration and connects it. Nothing else knows all the
// modules.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/agents.h"
#include "app/embedder_choice.h"
#include "app/job_ledger.h"
#include "app/job_notices.h"
#include "app/selection.h"
#include "app/surroundings.h"
#include "app/terminal_approver.h"
#include "cli/options.h"
#include "config/config.h"
#include "dispatch/dispatcher.h"
#include "guidance/library.h"
#include "hooks/script_hooks.h"
#include "knowledge/library.h"
#include "mcp/options.h"
#include "process/commands.h"
#include "search/index_service.h"
#include "search/witness.h"
#include "store/recorder.h"
#include "store/results.h"
#include "sys/clock.h"
#include "tools/agent_memories.h"
#include "workspace/workspace.h"

namespace helve::app {

class Staff;

// One workspace and all that is configured for it. It never changes: a call holds the place where
// it began until it ends, so that files, rules and limits always belong together.
struct Place {
  config::Loaded settings;
  Identity who;
  std::unique_ptr<workspace::Workspace> files;  // null: there is none, and no_files says why
  std::optional<Error> no_files;
  // For all that is searched by meaning; shared with the place that comes after this one.
  std::shared_ptr<EmbedderOnDemand> embedder;
  std::unique_ptr<tools::AgentMemories> memories;
  std::unique_ptr<search::Witness> witness;        // of these files; null: nothing tells changes
  std::unique_ptr<process::Commands> commands;     // null where there are no files
  std::unique_ptr<knowledge::Library> library;     // null: no documents are kept here
  std::unique_ptr<guidance::Library> guidance;     // of these files, and the user's own
  std::shared_ptr<const dispatch::Policy> policy;  // null: everything loaded is allowed
  std::shared_ptr<const dispatch::Approvals> approvals;
  std::shared_ptr<hooks::ScriptHooks> hooks;
  dispatch::Stages stages;
  std::unique_ptr<dispatch::Dispatcher> dispatcher;
  mcp::Place served = {};  // the same, for MCP calls
};

// Everything that calls need, in the order in which it depends on each other; it is destroyed from
// the end, so that the recorder still writes what is waiting.
struct World {
  sys::RealClock clock;
  std::vector<std::string> notices;  // what was ignored, and why
  std::optional<Registry> registry;
  const Dialect* dialect = nullptr;
  std::string root_from;         // how the root was chosen, for people
  std::string config_directory;  // of the user; empty: not known

  std::optional<store::Opener> opener;
  std::unique_ptr<store::StoreResults> results;
  std::unique_ptr<store::StoreRecorder> recorder;
  std::unique_ptr<search::IndexService> index;      // null: searches do without
  std::unique_ptr<TerminalApprover> approver;       // null: there is nobody to ask
  std::unique_ptr<dispatch::Grants> grants;         // what people allow, in every place
  std::unique_ptr<StoredJobs> jobs;                 // null: they are forgotten with this process
  std::unique_ptr<process::Supervisor> supervisor;  // of the commands that run
  std::unique_ptr<JobNotices> job_notices;

  std::shared_ptr<const Place> home;              // where it began; kept for calls that began there
  std::unique_ptr<agent::AgentsOnDemand> agents;  // null: there is no place to keep sessions
  std::shared_ptr<Staff> staff;                   // null until agents are needed

  // Where a call that begins now runs.
  std::shared_ptr<const Place> place() const;
  // The same for MCP calls; null, and at no cost, as long as it is home.
  std::shared_ptr<const mcp::Place> served_place() const;
  // The last place that had a workspace, also when there is none now; home when none had.
  std::shared_ptr<const Place> last_workspace() const;
  void move_to(std::shared_ptr<const Place> place);

 private:
  std::atomic<bool> moved_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const Place> current_;  // guarded by mutex_; null until moved_
  std::shared_ptr<const Place> last_;     // guarded by mutex_
};

// Where a line for people goes; called on any thread.
using Tell = std::function<void(std::string_view)>;

// Opens no database, starts no thread and runs no program: those come with the first use.
Result<std::unique_ptr<World>> make_world(const cli::Options& options,
                                          const Surroundings& surroundings, Purpose purpose,
                                          const Tell& tell);

// Moves to the directories that an MCP client works in, with their own configuration. What cannot
// be a workspace is told and left out; when nothing is left, or the configuration is wrong, there
// is no workspace, and the error says why. Only where the same workspace was in use before, it goes
// on with the configuration that it had. This is the only time that configuration is read again:
// files that change are not watched. What counts only from the start is told. One thread at a time.
Result<void> move_world(World& world, const std::vector<std::string>& roots,
                        const cli::Options& options, const Surroundings& surroundings,
                        const Tell& tell);
// From now on there is no workspace. Calls that need one are told `why`.
void leave_workspace(World& world, std::string why);

// The command line as a config file would say it.
JsonObject config_flags(const cli::Options& options, const std::string& current_directory);

}  // namespace helve::app
