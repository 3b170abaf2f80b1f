#include "process/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "process/foreground.h"

namespace helve::process {
namespace {

constexpr size_t kMaxSpawners = 8;        // policies in use at once; the least used one goes
constexpr size_t kMaxDirectories = 1000;  // sessions

// A trailing * stands for any ending.
constexpr std::array<std::string_view, 14> kInherited = {
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG",     "LANGUAGE",
    "LC_*", "TZ",   "TERM", "COLUMNS", "LINES", "NO_COLOR", "SOURCE_DATE_EPOCH"};

// Programs that would wait for a person, or open something that nobody sees.
constexpr std::array<std::string_view, 5> kQuiet = {"PAGER=cat", "GIT_PAGER=cat",
                                                    "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true",
                                                    "DEBIAN_FRONTEND=noninteractive"};

std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

Result<std::unique_ptr<Running>> Supervisor::start(const sandbox::Policy& policy, Plan plan,
                                                   const StartLimits& limits) {
  std::shared_ptr<const Spawner> spawner = TRY(spawner_for(policy, limits));
  Result<std::unique_ptr<Running>> running = Running::start(*spawner, plan, limits);
  if (running) return running;
  const std::string type = running.error().type;
  if (type == Spawner::kStuck) spawner->give_up();
  if (type == Spawner::kStuck || type == Spawner::kGone) drop(spawner);
  if (type != Spawner::kGone) return running;
  spawner = TRY(spawner_for(policy, limits));
  return Running::start(*spawner, std::move(plan), limits);
}

Result<sandbox::LiveView> Supervisor::renew(const sandbox::Policy& policy,
                                            const sandbox::LiveView& view) {
  return TRY(spawner_for(policy))->renew(view);
}

void Supervisor::warm_up(std::function<sandbox::Policy()> policy) {
  std::call_once(is_warm_, [&] {
    warming_ = std::jthread([this, policy = std::move(policy)] {
      (void)spawner_for(policy());  // what is wrong with it, the first command tells
    });
  });
}

Result<sandbox::Holds> Supervisor::build(const sandbox::Policy& policy) {
  return TRY(spawner_for(policy))->holds();
}

Result<sandbox::Holds> Supervisor::try_out(const sandbox::Policy& policy) {
  const std::shared_ptr<const Spawner> spawner = TRY(spawner_for(policy));
  Plan nothing{.launch = {.argv = {"/bin/sh", "-c", ":"}, .env = {}, .cwd = "/"}};
  const std::unique_ptr<Running> running = TRY(Running::start(*spawner, std::move(nothing)));
  const Time end = std::chrono::steady_clock::now() + StartLimits{}.longest;
  if (TRY(stay_with(*running, {.deadline = end}, {})) == Waited::timed_out)
    return Error{Code::unavailable, "a command that does nothing does not end here",
                 "end other programs, then try again", std::string(Spawner::kStuck)};
  return spawner->holds();
}

Result<std::shared_ptr<const Spawner>> Supervisor::spawner_for(const sandbox::Policy& policy,
                                                               const StartLimits& limits) {
  std::lock_guard lock(mutex_);
  sweep();
  const auto found = std::ranges::find(spawners_, policy, &Kept::policy);
  if (found != spawners_.end()) {
    std::rotate(found, found + 1, spawners_.end());
    return spawners_.back().spawner;
  }
  std::shared_ptr<Spawner> spawner = TRY(Spawner::start(program_, policy, limits));
  if (spawners_.size() >= kMaxSpawners) {
    retired_.push_back(std::move(spawners_.front().spawner));
    spawners_.erase(spawners_.begin());
    sweep();
  }
  spawners_.push_back({policy, spawner});
  return spawner;
}

std::uint64_t Supervisor::memory_kills(const sandbox::Policy& policy) {
  if (policy.limits.memory_bytes == 0) return 0;
  const auto spawner = spawner_for(policy);
  return spawner ? (*spawner)->memory_kills() : 0;
}

void Supervisor::drop(const std::shared_ptr<const Spawner>& spawner) {
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(spawners_, spawner, &Kept::spawner);
  if (found == spawners_.end()) return;  // another command was faster
  retired_.push_back(std::move(found->spawner));
  spawners_.erase(found);
}

// With mutex_ held. To wait for one would hold up all commands: its own may run for hours.
void Supervisor::sweep() {
  std::erase_if(retired_, [](const std::shared_ptr<Spawner>& spawner) {
    if (spawner.use_count() > 1) return false;  // somebody is about to start a command with it
    spawner->retire();
    return spawner->has_ended();
  });
}

std::string Supervisor::directory_of(std::string_view session) const {
  std::lock_guard lock(directories_mutex_);
  const auto found = directories_.find(session);
  return found == directories_.end() ? "" : found->second;
}

void Supervisor::set_directory(std::string_view session, std::string directory) {
  std::lock_guard lock(directories_mutex_);
  if (directories_.size() >= kMaxDirectories && !directories_.contains(session))
    directories_.erase(directories_.begin());
  directories_.insert_or_assign(std::string(session), std::move(directory));
}

void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value) {
  std::erase_if(environment, [&](const std::string& entry) { return name_in(entry) == name; });
  environment.push_back(fmt::format("{}={}", name, value));
}

Result<std::vector<std::string>> environment_with(
    const std::vector<std::string>& base, const std::map<std::string, std::string>& changes) {
  std::vector<std::string> environment = base;
  for (const auto& [name, value] : changes) {
    const bool has_nul = name.find('\0') != name.npos || value.find('\0') != value.npos;
    if (name.empty() || name.find('=') != name.npos || has_nul)
      return Error{Code::invalid_argument,
                   fmt::format("'{}' cannot be a variable of the environment",
                               escape_for_display(preview(name, 80))),
                   "a name has no '=', and neither name nor value has a NUL byte", "bad_env"};
    set_variable(environment, name, value);
  }
  return environment;
}

std::vector<std::string> inherited_environment(const std::map<std::string, std::string>& ours,
                                               const std::vector<std::string>& names) {
  std::vector<std::string> environment(kQuiet.begin(), kQuiet.end());
  const auto is_named = [&](std::string_view name) {
    const auto matches = [&](std::string_view pattern) { return matches_wildcard(pattern, name); };
    return std::ranges::any_of(kInherited, matches) || std::ranges::any_of(names, matches);
  };
  for (const auto& [name, value] : ours) {
    if (is_named(name)) set_variable(environment, name, value);
  }
  if (!ours.contains("PATH")) set_variable(environment, "PATH", "/usr/local/bin:/usr/bin:/bin");
  set_variable(environment, "TERM",
               "dumb");  // nobody sees colours; a command with a terminal gets its own
  return environment;
}

}  // namespace helve::process
