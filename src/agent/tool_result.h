// A call of a model through the dispatcher, and its outcome as the model is told of it.
#pragma once

#include "dispatch/dispatcher.h"
#include "model/message.h"

namespace helve::agent {

// Providers refuse larger ones, and with them the whole conversation from then on.
constexpr size_t kMaxImageChars = 5'000'000;  // of base64

// Takes the content out of the outcome.
model::ToolResult tool_result(const model::ToolCall& call, dispatch::Outcome& outcome);

}  // namespace helve::agent
