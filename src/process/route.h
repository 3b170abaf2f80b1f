// Route: where commands of certain names run instead of in the sandbox: on another machine through
// ssh, in a container through docker, or on this machine without walls. The user's settings make
// routes; what is here turns the words of a command into what is started on this machine for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/program.h"

namespace helve::process {

struct Route {
  enum class Via : unsigned char { ssh, local, docker };

  std::string name;
  std::vector<std::string> commands;  // the first words that it takes
  Via via = Via::ssh;
  std::string directory = {};               // what the workspace is called there; empty: unknown
  std::vector<std::string> variables = {};  // names that a call may set there
  // Of the program that is started here, as NAME=value; of these `variables` are passed on.
  std::vector<std::string> environment = {};

  std::string user = {};  // ssh, docker; empty: whoever is usual
  // ssh:
  std::string host = {};
  int port = 0;                  // 0: the usual one
  std::string key = {};          // a file; empty: the usual ones
  std::string known_hosts = {};  // a file; empty: the usual ones
  std::string command = {};      // runs there, and finds in SSH_ORIGINAL_COMMAND what was asked for
  int connect_seconds = 15;
  // docker:
  std::string container = {};
  // local:
  std::string program = {};  // a path; empty: the first word, looked for in PATH
};

// Where it leads, for people: "ssh builder@host:2222".
std::string describe(const Route& route);

// Directories that commands can write to: nothing from there may decide what runs outside.
using sys::Writable;

// Whether all that it needs on this machine is there. Errors name the route and the next step.
Result<void> check(const Route& route, const Writable& writable);

struct RoutedCall {
  std::vector<std::string> words;
  std::map<std::string, std::string> variables;  // besides those of the route
  // Relative to the workspace; empty: the workspace itself.
  std::string directory;
  bool has_terminal = false;
};
struct RoutedStart {
  std::vector<std::string> argv;
  std::vector<std::string> env;
};
// What to start for a call. Errors: as above; a variable that the route does not pass on.
Result<RoutedStart> start_of(const Route& route, const RoutedCall& call, const Writable& writable);

// The error of a call that never ran there, as far as the last words of ssh or docker tell.
std::optional<Error> failure_of(const Route& route, int exit_code, std::string_view last_words);

}  // namespace helve::process
