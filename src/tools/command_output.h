// What a command wrote, made fit to be shown: nothing in it can harm a terminal or mislead a
// reader, and what was left out or changed for that stays readable by id.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "process/commands.h"
#include "process/output.h"
#include "tool/context.h"

namespace helve::tools {

struct ShownOutput {
  std::string text;
  std::optional<std::string> stored;  // lr_N: the bytes as they were
  std::vector<std::string> notes;
};

// Escape codes of terminals are left out, other control characters and bytes that are not text
// become \xNN.
std::string readable(std::string_view bytes);

// At most `chars` characters of it. When that is not all, or not as it was, the whole is kept.
ShownOutput show_output(const process::Output& output, size_t chars, Context& context);

Result<process::Commands*> need_commands(const Context& context);

// The directory of the workspace that a command runs in, without links.
Result<std::string> directory_to_run_in(const std::optional<std::string>& workdir,
                                        const Context& context);

Result<void> check_command(std::string_view command);

}  // namespace helve::tools
