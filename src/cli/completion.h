// Completion: a script for a shell that knows every group, tool, flag and choice. It is written
// once and runs nothing of ours while somebody types.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/outline.h"

namespace helve::cli {

enum class Shell { bash, zsh, fish };

std::string completion_script(Shell shell, const Program& program, const Registry& registry);

std::string bash_script(const Outline& outline);
std::string zsh_script(const Outline& outline);
std::string fish_script(const Outline& outline);

}  // namespace helve::cli
