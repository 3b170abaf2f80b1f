// parse: reads a command as bash does, without running anything. POSIX shell and what people and
// models write of bash's grammar; whatever else is in it is reported as unknown, never dropped.
#pragma once

#include <string_view>

#include "shell/script.h"

namespace helve::shell {

// Never fails: a script that cannot be read to its end has what was read, and an unknown.
Script parse(std::string_view source);

// Adds what a script within a script runs, as `eval` and `bash -c` do. Everything in it is said to
// be at `at`. `depth` counts the scripts around it.
void parse_into(Script& script, std::string_view source, std::uint32_t at, size_t depth);

}  // namespace helve::shell
