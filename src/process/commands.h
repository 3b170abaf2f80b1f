// Commands: how tools run programs. The Supervisor belongs to the whole process and owns what runs;
// Commands are its face in one workspace, with that workspace's sandbox and settings.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "process/jobs.h"
#include "process/persistent_shell.h"
#include "process/route.h"
#include "process/running.h"
#include "process/spawner.h"

namespace helve::process {

// Thread-safe. Starts nothing before the first command.
class Supervisor {
 public:
  Supervisor(std::string spawn_program, const sys::Clock& clock, JobLedger* ledger)
      : program_(std::move(spawn_program)), jobs_(clock, ledger), shells_(*this) {}

  // Starts a command under a policy. A helper program that was killed is started anew; one that
  // does not answer is replaced for the next command.
  Result<std::unique_ptr<Running>> start(const sandbox::Policy& policy, Plan plan,
                                         const StartLimits& limits = {});
  // Renews what a command sees that was started under this policy and goes on.
  Result<sandbox::LiveView> renew(const sandbox::Policy& policy, const sandbox::LiveView& view);
  // Starts the helper program for a policy that commands will probably need, the first time only,
  // and does not wait for it. `policy` is called by another thread.
  void warm_up(std::function<sandbox::Policy()> policy);
  // Makes the sandbox and runs nothing in it: what will bound commands, or why it cannot be made.
  Result<sandbox::Holds> build(const sandbox::Policy& policy);
  // Runs a command that does nothing: what bounds commands here, or why none can run.
  Result<sandbox::Holds> try_out(const sandbox::Policy& policy);
  // As Spawner's; commands of one policy share the bound.
  std::uint64_t memory_kills(const sandbox::Policy& policy);
  Jobs& jobs() { return jobs_; }
  Shells& shells() { return shells_; }

  // Where a session's commands run that keep their directory between calls; empty: not said yet.
  std::string directory_of(std::string_view session) const;
  void set_directory(std::string_view session, std::string directory);

 private:
  Result<std::shared_ptr<const Spawner>> spawner_for(const sandbox::Policy& policy,
                                                     const StartLimits& limits = {});
  void drop(const std::shared_ptr<const Spawner>& spawner);
  void sweep();

  const std::string program_;
  std::mutex mutex_;  // guards what follows; held while a helper program starts
  struct Kept {
    sandbox::Policy policy;
    std::shared_ptr<Spawner> spawner;  // shared with whoever starts a command with it
  };
  std::vector<Kept> spawners_;                     // the last used at the end
  std::vector<std::shared_ptr<Spawner>> retired_;  // they end when their commands have

  mutable std::mutex directories_mutex_;
  std::map<std::string, std::string, std::less<>> directories_;  // by session
  Jobs jobs_;  // these last: they end what the others started, or use it
  Shells shells_;
  std::once_flag is_warm_;
  std::jthread warming_;
};

struct Settings {
  sandbox::Policy policy;
  std::vector<std::string> environment;  // as NAME=value: what commands get of ours
  std::string shell = "/bin/sh";
  std::chrono::milliseconds timeout = std::chrono::seconds(1800);
  std::chrono::milliseconds shortest_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds longest_timeout = std::chrono::hours(24);
  std::chrono::milliseconds bash_timeout = std::chrono::seconds(120);
  std::chrono::milliseconds grace{400};  // between SIGTERM and SIGKILL
  size_t shown_chars = 100'000;
  size_t background_chars = 10'000;
  OutputLimits output;
  std::vector<Route> routes;     // commands that run elsewhere
  std::string trials;            // where what commands would change is kept; empty: nowhere
  std::uint64_t open_files = 0;  // that a command may have at first; 0: as many as we
  bool has_background = true;    // false: this process ends with the call
  bool records_jobs = true;      // commands in the background are remembered beyond this process
};

// Thread-safe.
class Commands {
 public:
  // `settings` is asked when the first command runs: most programs never run one.
  Commands(Supervisor& supervisor, std::function<Settings()> settings)
      : supervisor_(supervisor), make_settings_(std::move(settings)) {}

  const Settings& settings() const {
    std::call_once(is_made_, [this] { settings_ = make_settings_(); });
    return settings_;
  }
  Supervisor& supervisor() { return supervisor_; }

 private:
  Supervisor& supervisor_;
  const std::function<Settings()> make_settings_;
  mutable std::once_flag is_made_;
  mutable Settings settings_;
};

// In the place of what it may have been before.
void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value);

// What a terminal is called that nobody has given another name.
constexpr std::string_view kTerminalName = "xterm-256color";

// The environment of a command: ours, with `changes` on top. Errors: a name that cannot be one.
Result<std::vector<std::string>> environment_with(
    const std::vector<std::string>& base, const std::map<std::string, std::string>& changes);

// What commands get of our environment unless they are told otherwise: `names` and those that every
// program needs. Everything else stays here, since much of it is secret.
std::vector<std::string> inherited_environment(const std::map<std::string, std::string>& ours,
                                               const std::vector<std::string>& names);

}  // namespace helve::process
