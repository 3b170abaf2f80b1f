#include "app/commands.h"

#include <algorithm>
#include <array>

#include "app/run_outside.h"
#include "base/text.h"
#include "sys/limits.h"
#include "workspace/real_path.h"

namespace helve::app {
namespace {

constexpr std::uint64_t kMegabyte = 1u << 20;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::string below_home(const std::string& path, const std::string& home) {
  return path.starts_with("~/") && !home.empty() ? home + path.substr(1) : path;
}

std::uint64_t bytes(std::int64_t megabytes) {
  return static_cast<std::uint64_t>(megabytes) * kMegabyte;
}

// The usual secrets of every home, and our own: settings, keys of routes, records.
void hide_secrets(const config::Config& config, const Surroundings& surroundings,
                  sandbox::Policy& policy) {
  const std::string& home = surroundings.home;
  policy.homes = surroundings.other_homes;
  policy.homes.insert(policy.homes.begin(), home);
  std::erase_if(policy.homes, [](const std::string& each) { return !each.starts_with('/'); });
  for (const std::string& path : config.sandbox.visible) {
    std::string absolute = below_home(path, home);
    if (absolute.starts_with('/')) policy.visible.push_back(std::move(absolute));
  }
  policy.hidden = sandbox::system_secrets();
  if (!surroundings.config_directory.empty())
    policy.hidden.push_back(surroundings.config_directory);
  for (const std::string& path : policy.visible) std::erase(policy.hidden, path);
  for (const std::string& path : config.sandbox.hidden)
    policy.hidden.push_back(below_home(path, home));
  for (const config::RouteSettings& route : config.routes) {
    if (!route.key.empty()) policy.hidden.push_back(route.key);
  }
  if (!surroundings.state_directory.empty()) policy.hidden.push_back(surroundings.state_directory);
}

// Of the program that is started here. ssh and docker need little of ours, and would pass on more
// than that.
std::vector<std::string> route_environment(const config::RouteSettings& route,
                                           const Surroundings& surroundings,
                                           const std::vector<std::string>& usual) {
  constexpr std::array<std::string_view, 5> kNeeded = {"PATH", "HOME", "USER", "LOGNAME",
                                                       "DOCKER_*"};
  std::vector<std::string> environment;
  if (route.via == config::RouteVia::local) environment = usual;
  for (const auto& [name, value] : surroundings.environment) {
    const bool is_needed = std::ranges::any_of(kNeeded, [&](std::string_view pattern) {
      return matches_wildcard(pattern, name) && route.via != config::RouteVia::local;
    });
    const bool is_named = std::ranges::find(route.environment, name) != route.environment.end();
    if (!is_needed && !is_named) continue;
    std::erase_if(environment, [&](const std::string& entry) {
      return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
    });
    environment.push_back(name + "=" + value);
  }
  return environment;
}

}  // namespace

std::vector<process::Route> routes_of(const config::Config& config,
                                      const Surroundings& surroundings) {
  const std::vector<std::string> usual =
      process::inherited_environment(surroundings.environment, config.exec.environment);
  std::vector<process::Route> routes;
  for (const config::RouteSettings& route : config.routes)
    routes.push_back({.name = route.name,
                      .commands = route.commands,
                      .via = static_cast<process::Route::Via>(route.via),
                      .directory = route.directory,
                      .variables = route.environment,
                      .environment = route_environment(route, surroundings, usual),
                      .user = route.user,
                      .host = route.host,
                      .port = static_cast<int>(route.port),
                      .key = route.key,
                      .known_hosts = route.known_hosts,
                      .command = route.command,
                      .connect_seconds = static_cast<int>(route.connect_seconds),
                      .container = route.container,
                      .program = route.program});
  return routes;
}

std::vector<std::string> writable_roots(const workspace::Workspace* files) {
  std::vector<std::string> paths;
  if (!files) return paths;
  for (const workspace::Root& root : files->roots()) {
    if (root.access == workspace::Access::writable) paths.push_back(root.path);
  }
  return paths;
}

sandbox::Policy sandbox_policy(const workspace::Workspace& files, const config::Config& config,
                               const Surroundings& surroundings) {
  const config::SandboxSettings& settings = config.sandbox;
  sandbox::Policy policy;
  policy.level = static_cast<sandbox::Level>(settings.level);
  policy.backend = static_cast<sandbox::Backend>(settings.backend);
  policy.network = settings.network;
  policy.roots = writable_roots(&files);
  for (const workspace::Root& root : files.roots()) {
    if (root.access == workspace::Access::read_only) policy.read_only_roots.push_back(root.path);
  }
  if (!surroundings.config_directory.empty())
    policy.protected_paths.push_back(workspace::real_path(surroundings.config_directory));
  policy.protected_files = run_outside(surroundings, policy.roots);
  policy.protected_names = sandbox::default_protected_names();
  hide_secrets(config, surroundings, policy);
  policy.limits.processes = static_cast<std::uint32_t>(settings.limits.processes);
  policy.limits.memory_bytes = bytes(settings.limits.memory_mb);
  policy.limits.file_bytes = bytes(settings.limits.file_size_mb);
  policy.limits.cpu_seconds = static_cast<std::uint32_t>(settings.limits.cpu_seconds);
  policy.limits.tmp_bytes = bytes(settings.limits.tmp_mb);
  return policy;
}

process::Settings command_settings(const workspace::Workspace& files, const config::Config& config,
                                   const Surroundings& surroundings, Life life) {
  const config::ExecSettings& exec = config.exec;
  process::Settings settings;
  settings.policy = sandbox_policy(files, config, surroundings);
  settings.environment = process::inherited_environment(surroundings.environment, exec.environment);
  settings.shell = exec.shell;
  settings.timeout = milliseconds(exec.timeout_seconds);
  settings.shortest_timeout = milliseconds(exec.min_timeout_seconds);
  settings.longest_timeout = milliseconds(exec.max_timeout_seconds);
  settings.bash_timeout = milliseconds(exec.bash_timeout_seconds);
  settings.grace = milliseconds(exec.kill_grace_seconds);
  settings.shown_chars = static_cast<size_t>(exec.shown_chars);
  settings.background_chars = static_cast<size_t>(exec.background_chars);
  settings.output = {.capture_bytes = bytes(exec.capture_mb),
                     .directory = surroundings.state_directory};
  settings.routes = routes_of(config, surroundings);
  settings.trials = surroundings.trials_directory();
  settings.open_files = sys::first_limit_of_open_files();
  settings.has_background = life == Life::stays;
  settings.records_jobs = config.record;
  return settings;
}

}  // namespace helve::app
