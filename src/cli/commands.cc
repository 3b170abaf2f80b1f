// The commands that need nothing but the program itself.
#include "cli/completion.h"
#include "cli/man.h"
#include "cli/parse.h"
#include "cli/run.h"

namespace helve::cli {
namespace {

struct HelpInput {
  std::vector<std::string> topic;
  static constexpr auto schema() {
    return schema::object(
        "Show help on a command, a group of tools or a tool",
        schema::opt<&HelpInput::topic>("A command, a group, a tool, or a group and a tool")
            .positional());
  }
};

struct CallInput {
  std::string name;
  std::optional<std::string> arguments;
  static constexpr auto schema() {
    return schema::object(
        "Call a tool by any of its names, with JSON arguments",
        schema::arg<&CallInput::name>("Name of the tool: its own, an alias, or one of a dialect"),
        schema::opt<&CallInput::arguments>("The arguments, a JSON object; default: none")
            .positional()
            .from_stdin());
  }
};

struct VersionInput {
  static constexpr auto schema() { return schema::object("Show the version"); }
};

struct CompletionInput {
  Shell shell = Shell::bash;
  static constexpr auto schema() {
    return schema::object("Print a completion script for a shell",
                          schema::arg<&CompletionInput::shell>("bash, zsh or fish"));
  }
};

struct ManInput {
  static constexpr auto schema() { return schema::object("Print the manual page, as roff"); }
};

Result<int> help(const HelpInput& in, Run& run) {
  return show_help(TRY(parse_topic(run.program, in.topic)), run);
}

Result<int> call(const CallInput& in, Run& run) {
  if (!run.options.input) return call_tool(run, in.name, nullptr, in.arguments.value_or("{}"));
  if (in.arguments) return given_twice(*in.arguments);
  return call_tool(run, in.name, nullptr, TRY(read_input(run)));
}

Result<int> version(const VersionInput&, Run& run) { return show_version(run); }

Result<int> completion(const CompletionInput& in, Run& run) {
  run.screen.out.write(completion_script(in.shell, run.program, *TRY(run.program.tools())));
  return 0;
}

Result<int> man(const ManInput&, Run& run) {
  run.screen.out.write(man_page(run.program, *TRY(run.program.tools())));
  return 0;
}

constexpr std::string_view kCallDetails =
    "The arguments may be - for standard input, or come from a file with --input. Small mistakes "
    "in the JSON, such as a trailing "
    "comma, are repaired and reported.";
constexpr std::string_view kCompletionDetails =
    "bash: helve completion bash > ~/.local/share/bash-completion/completions/helve\n"
    "zsh:  helve completion zsh > ~/.zfunc/_helve   (a directory of $fpath)\n"
    "fish: helve completion fish > ~/.config/fish/completions/helve.fish";

}  // namespace

std::vector<Command> own_commands() {
  return {
      make_command<HelpInput>("help", "", {}, help),
      make_command<CallInput>(
          "call", kCallDetails,
          {{"Call a tool as a model would", R"(helve call read '{"path":"notes.md"}')"}}, call),
      make_command<CompletionInput>("completion", kCompletionDetails,
                                    {{"Try it in this shell", "source <(helve completion bash)"}},
                                    completion),
      make_command<ManInput>("man", "To read it: helve man | man -l -", {}, man),
      make_command<VersionInput>("version", "", {}, version),
  };
}

}  // namespace helve::cli
