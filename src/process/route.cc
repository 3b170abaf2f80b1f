#include "process/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "process/commands.h"
#include "sys/file_at.h"

namespace helve::process {
namespace {

using Via = Route::Via;

// Whatever the user's configuration of ssh says besides: nobody is asked, no unknown host is taken,
// nothing of ours is lent to the other side, no other connection is shared, and the command is run
// and gets its input. The first one lets an older ssh pass over options that it lacks, and stands
// for whatever the user's own IgnoreUnknown names.
constexpr auto kSshOptions = std::to_array<std::string_view>({"IgnoreUnknown=*",
                                                              "StdinNull=no",
                                                              "SessionType=default",
                                                              "ForkAfterAuthentication=no",
                                                              "NoHostAuthenticationForLocalhost=no",
                                                              "VerifyHostKeyDNS=no",
                                                              "BatchMode=yes",
                                                              "StrictHostKeyChecking=yes",
                                                              "UpdateHostKeys=no",
                                                              "IdentityAgent=none",
                                                              "ForwardAgent=no",
                                                              "ForwardX11=no",
                                                              "ClearAllForwardings=yes",
                                                              "Tunnel=no",
                                                              "PermitLocalCommand=no",
                                                              "RemoteCommand=none",
                                                              "ControlMaster=no",
                                                              "ControlPath=none",
                                                              "EscapeChar=none",
                                                              "LogLevel=ERROR",
                                                              "ServerAliveInterval=15",
                                                              "ServerAliveCountMax=4"});

std::string in_quotes(const Route& route) { return fmt::format("the host route '{}'", route.name); }

Error route_error(const Route& route, Code code, std::string_view message, std::string hint) {
  return Error{code, fmt::format("{}: {}", in_quotes(route), message), std::move(hint),
               "route_failed"};
}

std::string setting(const Route& route, std::string_view key) {
  return fmt::format("'{}' of the route '{}' in your config", key, route.name);
}

// One word for a shell that is not ours: only what every POSIX shell reads back.
std::string posix_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted += '\'';
}

// ssh reads % as the beginning of a token.
std::string ssh_path(std::string_view path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

// A file whose path is given. Commands that could change it would decide what happens outside.
Result<void> check_file(const Route& route, std::string_view key, const std::string& path,
                        const Writable& writable) {
  const std::string shown = escape_for_display(path);
  if (!sys::status_of(path))
    return route_error(route, Code::not_found, fmt::format("'{}' does not exist", shown),
                       fmt::format("make it, or change {}", setting(route, key)));
  if (sys::lies_in(path, writable))
    return route_error(
        route, Code::denied,
        fmt::format("'{}' lies in the workspace, where commands can change it", shown),
        fmt::format("move it elsewhere and change {}", setting(route, key)));
  return {};
}

// The program in PATH. Directories that commands can write to are passed over.
Result<std::string> find_program(const Route& route, std::string_view name,
                                 const Writable& writable) {
  constexpr std::string_view kPath = "PATH=";
  std::string_view path;
  for (const std::string& entry : route.environment) {
    if (entry.starts_with(kPath)) path = std::string_view(entry).substr(kPath.size());
  }
  Result<std::string> found = sys::find_program(name, path, writable);
  if (found) return found;
  return route_error(route, Code::not_found, found.error().message,
                     route.via == Via::local
                         ? fmt::format("install it, or name it by {}", setting(route, "program"))
                         : found.error().hint);
}

Result<std::string> program_of(const Route& route, std::string_view first_word,
                               const Writable& writable) {
  switch (route.via) {
    case Via::ssh:
      return find_program(route, "ssh", writable);
    case Via::docker:
      return find_program(route, "docker", writable);
    case Via::local:
      break;
  }
  if (route.program.empty()) return find_program(route, first_word, writable);
  TRY(check_file(route, "program", route.program, writable));
  if (sys::is_program(route.program)) return route.program;
  return route_error(route, Code::denied,
                     fmt::format("'{}' is no program", escape_for_display(route.program)),
                     fmt::format("chmod +x it, or change {}", setting(route, "program")));
}

Result<void> check_files(const Route& route, const Writable& writable) {
  if (!route.key.empty()) TRY(check_file(route, "key", route.key, writable));
  if (!route.known_hosts.empty())
    TRY(check_file(route, "known_hosts", route.known_hosts, writable));
  return {};
}

std::string directory_there(const Route& route, const RoutedCall& call) {
  if (call.directory.empty() || route.directory.empty()) return route.directory;
  return route.directory + "/" + call.directory;
}

// What the shell over there reads.
std::string remote_line(const Route& route, const RoutedCall& call) {
  std::string line;
  for (const std::string& word : call.words) line += (line.empty() ? "" : " ") + posix_word(word);
  if (!route.command.empty())
    line = fmt::format("export SSH_ORIGINAL_COMMAND={}; {}", posix_word(line), route.command);
  const std::string directory = directory_there(route, call);
  // Not &&: that would bind only the first of several commands.
  return directory.empty() ? line : fmt::format("cd {} || exit; {}", posix_word(directory), line);
}

void add_ssh(const Route& route, const RoutedCall& call, std::vector<std::string>& argv) {
  const auto option = [&](std::string_view text) {
    argv.emplace_back("-o");
    argv.emplace_back(text);
  };
  argv.emplace_back(call.has_terminal ? "-t" : "-T");
  argv.emplace_back("-k");  // lends no GSSAPI credentials; the option is an error to some builds
  for (const std::string_view each : kSshOptions) option(each);
  option(fmt::format("ConnectTimeout={}", route.connect_seconds));
  if (!route.key.empty()) {
    option("IdentitiesOnly=yes");
    argv.insert(argv.end(), {"-i", ssh_path(route.key)});
  }
  if (!route.known_hosts.empty()) {
    option(fmt::format("UserKnownHostsFile=\"{}\"", ssh_path(route.known_hosts)));
    option("GlobalKnownHostsFile=/dev/null");
    option("KnownHostsCommand=none");
  }
  for (const std::string& name : route.variables) option("SendEnv=" + name);
  if (route.port != 0) argv.insert(argv.end(), {"-p", std::to_string(route.port)});
  if (!route.user.empty()) argv.insert(argv.end(), {"-l", route.user});
  argv.insert(argv.end(), {"--", route.host, remote_line(route, call)});
}

void add_docker(const Route& route, const RoutedCall& call, std::vector<std::string>& argv) {
  argv.insert(argv.end(), {"exec", "--interactive"});
  if (call.has_terminal) argv.emplace_back("--tty");
  if (!route.user.empty()) argv.insert(argv.end(), {"--user", route.user});
  const std::string directory = directory_there(route, call);
  if (!directory.empty()) argv.insert(argv.end(), {"--workdir", directory});
  for (const std::string& name : route.variables) argv.insert(argv.end(), {"--env", name});
  argv.push_back(route.container);
  argv.insert(argv.end(), call.words.begin(), call.words.end());
}

Result<void> set(const Route& route, std::string_view name, std::string_view value,
                 std::vector<std::string>& environment) {
  if (std::ranges::find(route.variables, name) == route.variables.end())
    return route_error(
        route, Code::denied,
        fmt::format("the variable '{}' is not passed on", escape_for_display(preview(name, 80))),
        fmt::format("leave it out, or name it in {}", setting(route, "environment")));
  set_variable(environment, name, value);
  return {};
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

std::string what_to_do(const Route& route, std::string_view line) {
  const auto says = [&](std::string_view part) { return line.find(part) != line.npos; };
  if (says("Host key verification failed"))
    return fmt::format(
        "compare the key of the host with one that you trust, then add it: "
        "ssh-keyscan {}{} >> {}",
        route.port == 0 ? "" : fmt::format("-p {} ", route.port), route.host,
        route.known_hosts.empty() ? "~/.ssh/known_hosts" : route.known_hosts);
  if (says("Permission denied"))
    return fmt::format("the public half of the key must be in authorized_keys there; see {}",
                       setting(route, "key"));
  if (says("connect to the")) return "start the docker daemon, or correct DOCKER_HOST";
  if (route.via == Via::docker)
    return fmt::format("start the container; see {}", setting(route, "container"));
  return fmt::format("see that the machine is up, and {}", setting(route, "host"));
}

}  // namespace

std::string describe(const Route& route) {
  std::string to;
  switch (route.via) {
    case Via::ssh:
      to = fmt::format("ssh {}{}{}{}", route.user, route.user.empty() ? "" : "@", route.host,
                       route.port == 0 ? "" : fmt::format(":{}", route.port));
      break;
    case Via::docker:
      to = fmt::format("docker exec {}", route.container);
      break;
    case Via::local:
      to = "this machine, outside of the sandbox";
      break;
  }
  return fmt::format("{} ({}): {}", route.name, join(route.commands, ", "), to);
}

Result<void> check(const Route& route, const Writable& writable) {
  TRY(check_files(route, writable));
  for (const std::string& command : route.commands) TRY(program_of(route, command, writable));
  return {};
}

Result<RoutedStart> start_of(const Route& route, const RoutedCall& call, const Writable& writable) {
  RoutedStart start{.argv = {}, .env = route.environment};
  for (const auto& [name, value] : call.variables) TRY(set(route, name, value, start.env));
  if (call.has_terminal && !call.variables.contains("TERM"))
    set_variable(start.env, "TERM", kTerminalName);
  start.argv.push_back(TRY(program_of(route, call.words[0], writable)));
  TRY(check_files(route, writable));
  switch (route.via) {
    case Via::ssh:
      add_ssh(route, call, start.argv);
      break;
    case Via::docker:
      add_docker(route, call, start.argv);
      break;
    case Via::local:
      start.argv.insert(start.argv.end(), call.words.begin() + 1, call.words.end());
      break;
  }
  return start;
}

std::optional<Error> failure_of(const Route& route, int exit_code, std::string_view last_words) {
  constexpr int kSshFailed = 255, kDockerFailed = 1;
  const std::string_view line = last_line(last_words);
  const auto begins = [&](std::string_view start) { return line.starts_with(start); };
  const bool is_ssh =
      route.via == Via::ssh && exit_code == kSshFailed &&
      (begins("ssh: ") || begins("Host key verification failed") || begins("Connection closed") ||
       begins("Connection reset") || line.find(": Permission denied (") != line.npos);
  const bool is_docker = route.via == Via::docker && exit_code == kDockerFailed &&
                         (begins("Error response from daemon: ") || begins("Error: No such") ||
                          begins("Cannot connect to the Docker daemon") ||
                          begins("failed to connect to the docker API"));
  if (!is_ssh && !is_docker) return std::nullopt;
  return route_error(route, Code::unavailable, escape_for_display(preview(line, 300)),
                     what_to_do(route, line));
}

}  // namespace helve::process
