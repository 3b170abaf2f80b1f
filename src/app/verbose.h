// Verbose: calls and their results as lines for people, as they happen.
#pragma once

#include "app/wire.h"

namespace helve::app {

constexpr size_t kShownArguments = 120;  // characters
constexpr size_t kShownResult = 150;

// "  → read({"path":"a"})" and "  ← the first words of the answer", told from any thread.
void show_calls(dispatch::Stages& stages, const Tell& tell);

}  // namespace helve::app
