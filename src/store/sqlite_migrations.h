// Migrations: how a database of any earlier version becomes one of today's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "store/sqlite_database.h"

namespace helve::store {

// "helv": tells our files from those of other programs.
constexpr std::int64_t kApplicationId = 0x68656c76;

// The step from version N to N+1 is the one at index N. Steps that were released never change.
std::span<const char* const> migrations();

// Refuses a newer or a foreign database before anything is written. Otherwise brings it to version
// steps.size(), each step in one transaction together with its version: a crash leaves the old or
// the new. Several processes may do this at once.
Result<void> migrate(Database& database, std::span<const char* const> steps);

}  // namespace helve::store
