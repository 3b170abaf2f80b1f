// Shell words: hints as a command line would have them: parameters as flags, tools as commands.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/names.h"

namespace helve::cli {

// `called` is the tool that the hint is about.
std::string in_shell_words(const Registry& registry, const Named& called, std::string_view text);
// The hints of an error, and of each of its problems.
Error in_shell_words(const Registry& registry, const Named& called, Error error);

}  // namespace helve::cli
