// What an agent is told before all else.
#pragma once

#include <string>

#include "app/wire.h"

namespace helve::app {

std::string system_prompt_of(const Place& place, const Surroundings& surroundings,
                             const std::string& agent);

}  // namespace helve::app
