// Ids: UUIDv7 with a prefix that says what they name: s_ sessions, c_ calls. They sort by time and
// cannot be guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::sys {

std::string new_id(std::string_view prefix, std::int64_t unix_ms);
// That nobody can foresee.
std::uint64_t random_number();

}  // namespace helve::sys
