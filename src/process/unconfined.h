// Unconfined: how the helper program tells why there is no sandbox, and what helve makes of it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "process/protocol.h"

namespace helve::process {

// What an event says.
struct Unconfined {
  Step step = Step::sandbox;
  std::string text;  // kMaxEventText bytes at most
};
Unconfined unconfined(const Error& error);

// Errors: no_sandbox, when the machine is to blame; unfit_workspace.
Error why_unconfined(Step step, std::string_view text);

}  // namespace helve::process
