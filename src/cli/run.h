// Run: one command line from its words to its exit code.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/parse.h"

namespace helve::cli {

// `finish_screen` learns the options before anything is shown: colours depend on one of them.
int run(const Program& program, std::span<const std::string> words, Screen& screen,
        const std::function<void(const Options&, Screen&)>& finish_screen = {});

// Calls a tool as this command line asks (--json, --cap, --timeout) and shows what came of it.
// `by_flags`: how it was named where its arguments were flags, which hints then name; null: JSON.
int call_tool(Run& run, std::string_view tool, const Json* arguments,
              std::string_view raw_arguments, const Named* by_flags = nullptr);

// The arguments that --input names, and the error about arguments that are given besides.
Result<std::string> read_input(Run& run);
Error given_twice(std::string_view argument);

Result<int> show_version(Run& run);

// The help page of what was parsed: a tool, a command, a group, or the program.
Result<int> show_help(const Parsed& about, Run& run);

// help, call, version, completion and man: the commands that need nothing but the program itself.
std::vector<Command> own_commands();

}  // namespace helve::cli
