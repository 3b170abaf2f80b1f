// What a hook script may answer. Exit code 2 denies, with standard error as the reason. With exit
// code 0 it may print {"decision": "allow|deny|none", "reason": "…", "arguments": {…}}, where
// "input" means the same as "arguments"; other output means nothing. Any other end is a failure:
// reported, never blocking.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "sys/process.h"
#include "tool/services.h"

namespace helve::hooks {

constexpr size_t kMaxReasonChars = 2'000;

struct ScriptAnswer {
  HookAnswer::Decision decision = HookAnswer::Decision::none;
  std::string reason;
  std::optional<Json> arguments;
  std::string failure;  // empty: the script worked
};

// Of a script that ended within its time.
ScriptAnswer read_answer(const sys::Finished& finished);

}  // namespace helve::hooks
