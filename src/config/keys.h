// Walks the description of the settings, for whoever needs each key by its path.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schema/type.h"

namespace helve::config {

// Visits every key that holds a value, lists of mappings included, but not the mappings themselves.
using VisitKey = std::function<void(const std::string& path, const schema::Field& field)>;
void visit_keys(const VisitKey& visit);

// "limits.inline_chars" -> "HELVE_LIMITS_INLINE_CHARS".
std::string variable_of(std::string_view path);

}  // namespace helve::config
