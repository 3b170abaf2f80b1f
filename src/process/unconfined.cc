#include "process/unconfined.h"

#include <fmt/format.h>

#include <algorithm>

#include "sandbox/failure.h"

namespace helve::process {

// The hint comes first, so that a long path does not cut it off.
Unconfined unconfined(const Error& error) {
  Unconfined told{.text = describe(error)};
  if (error.type == sandbox::kUnfitWorkspace) {
    told.step = Step::workspace;
    told.text = error.hint + '\n' + error.message;
  }
  if (told.text.size() > kMaxEventText) told.text.resize(kMaxEventText);
  return told;
}

Error why_unconfined(Step step, std::string_view text) {
  if (step != Step::workspace)
    return Error{Code::unavailable,
                 fmt::format("commands cannot be confined on this machine: {}", text),
                 "`helve sandbox explain` tells what is missing; `sandbox.level: full` in your "
                 "config runs commands without a sandbox",
                 "no_sandbox"};
  const size_t end = std::min(text.find('\n'), text.size());
  return Error{Code::unavailable,
               fmt::format("commands cannot be confined to this workspace: {}",
                           text.substr(std::min(end + 1, text.size()))),
               std::string(text.substr(0, end)), std::string(sandbox::kUnfitWorkspace)};
}

}  // namespace helve::process
