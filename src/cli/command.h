// Command: a word after `helve` that is not a tool, such as doctor. Its input is described like a
// tool's.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "dispatch/dispatcher.h"
#include "schema/schema.h"
#include "tool/registry.h"

namespace helve::cli {

struct Program;

// What a running command has at hand.
struct Run {
  const Program& program;
  const Options& options;
  Screen& screen;
};

struct CommandExample {
  std::string_view what;
  std::string_view line;  // as it is typed
};

struct Command {
  std::string_view name;
  const schema::Type* input;  // its description is the command's summary
  std::string_view details;   // more for its help page; may be empty
  std::vector<CommandExample> examples;
  std::function<Result<int>(const Json& arguments, Run&)> run;  // the exit code
};

template <class Input, class Function>
Command make_command(std::string_view name, std::string_view details,
                     std::vector<CommandExample> examples, Function run) {
  return {name, &schema::kType<Input>, details, std::move(examples),
          [run = std::move(run)](const Json& arguments, Run& with) -> Result<int> {
            return run(TRY(schema::decode<Input>(arguments)), with);
          }};
}

// What tool calls need, once the options are known. Borrowed from whoever opened it.
struct Session {
  dispatch::Dispatcher& dispatcher;
  const Identity& who;
  const dispatch::Policy* policy = nullptr;
  std::stop_token stop = {};
};

// Everything the command line offers. The functions are called when needed, and only then.
struct Program {
  std::vector<Command> commands;
  std::function<Result<const Registry*>()> tools;             // every tool there is
  std::function<Result<Session>(const Options&)> open;        // ready for calls
  std::function<Result<std::string>(std::string_view)> read;  // a file's text; "-": standard input
  std::function<Result<int>(Run&)> overview;                  // no arguments were given
};

}  // namespace helve::cli
