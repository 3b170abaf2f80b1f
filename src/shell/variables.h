// What a variable in the environment can do to the programs that see it.
#pragma once

#include <string_view>

#include "shell/script.h"

namespace helve::shell {

enum class Influence : unsigned char {
  none,     // language, time zone, colours: no program does anything else because of it
  unknown,  // some program may look at it
  runs,     // decides which programs or which code run
};

Influence influence_of(std::string_view name, const Word& value);

}  // namespace helve::shell
