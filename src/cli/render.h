// Render: what came of a call, for people on a terminal, for pipes, and for programs (--json).
#pragma once

#include "base/error.h"
#include "cli/screen.h"
#include "dispatch/dispatcher.h"

namespace helve::cli {

enum class Form { text, json };

// Writes the answer to standard output, notes and errors to standard error, and returns the exit
// code. As JSON: the tool's structured value itself, or {"ok": false, "error": {error_type, code,
// message, hint, details}}.
int show(const dispatch::Outcome& outcome, Form form, Screen& screen);
int show(const Error& error, Form form, Screen& screen);

// {"ok": false, "error": …}
JsonObject error_json(const Error& error);
// A value for programs: indented on a terminal, on one line otherwise.
void show_json(const Json& value, Screen& screen);

}  // namespace helve::cli
