// Doctor: what is configured, found and missing, and why.
#pragma once

#include <string>
#include <vector>

#include "app/surroundings.h"
#include "app/wire.h"

namespace helve::app {

enum class Mark { ok, warn, fail };
std::string_view name_of(Mark mark);

struct Finding {
  Mark mark = Mark::ok;
  std::string topic;  // "workspace", "config", …
  std::string text;   // safe to show and on one line, as the hint
  std::string hint = {};
};

struct Examined {
  std::vector<Finding> findings;
  std::string workspace;  // empty: there is none
};

// Looks at everything and changes nothing; a database that does not exist is not made.
Examined examine(const cli::Options& options, const Surroundings& surroundings);

}  // namespace helve::app
