// The rules a field states beyond its type: ranges, lengths and patterns. Used for what comes in
// and what goes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/type.h"

namespace helve::schema {

// Each returns what is wrong, or nothing. A null field has no rules.
std::optional<std::string> broken_bounds(const Field* field, std::int64_t value);
std::optional<std::string> broken_bounds(const Field* field, std::uint64_t value);
std::optional<std::string> broken_bounds(const Field* field, double value);
std::optional<std::string> broken_text_rule(const Field* field, std::string_view value);
std::optional<std::string> broken_count_rule(const Field* field, size_t count,
                                             std::string_view what);

// "from 1 to 5", "at least 1", or empty: for help and messages.
std::string range_text(const Field& field);

}  // namespace helve::schema
