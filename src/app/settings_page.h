// The settings that a config file or the environment may hold, as a page and as JSON.
#pragma once

#include <string>

#include "base/json.h"

namespace helve::app {

std::string settings_markdown();
JsonArray settings_json();

}  // namespace helve::app
