// Ids: UUIDv7 with a prefix that says what they name: s_ sessions, c_ calls. They sort by time and
// cannot be guessed.
#pragma once

#include <string>
#include <string_view>

namespace helve::sys {

class Clock;
std::string new_id(std::string_view prefix, const Clock& clock);

}  // namespace helve::sys
