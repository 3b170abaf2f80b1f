// Error: why something failed, in words that serve the model and the person alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace helve {

// Few and stable: they decide exit codes, retries and what a client shows.
enum class Code : unsigned char {
  invalid_argument,  // the call itself is wrong
  not_found,         // the named thing does not exist
  conflict,          // the thing exists already, or changed meanwhile
  denied,            // policy, a hook, a person or the system says no
  auth,              // credentials are missing or refused
  network,           // the other side cannot be reached
  unsupported,       // understood, but this kind of thing cannot be handled
  partial,           // some of it worked
  too_large,         // over a stated limit
  timeout,           // the deadline passed
  cancelled,         // somebody asked to stop
  unavailable,       // a needed resource is busy or out of space; trying later may help
  internal,          // our own fault
};

std::string_view name_of(Code code);
// By its name; nothing when there is none.
std::optional<Code> find_code(std::string_view name);
// What the shell sees: 2 invalid argument, 3 not found, 4 conflict, 5 denied or auth, 6 network,
// 7 unsupported, 8 partial, 124 timeout, 130 cancelled, 1 anything else.
int exit_code(Code code);

struct [[nodiscard]] Error {
  Code code = Code::internal;
  std::string message;  // names the thing
  std::string hint;     // says the next step; may be empty
  std::string type;     // the tool's own word, such as path_conflict; empty: the code's name
  Json details;         // machine-readable, such as the list of wrong fields; usually null

  std::string_view type_name() const { return type.empty() ? name_of(code) : type; }
};

// One line for people: "message (hint)".
std::string describe(const Error& error);
// {"error_type", "message", "hint", "code", "details"}: what models and programs read.
JsonObject to_json(const Error& error);

}  // namespace helve
