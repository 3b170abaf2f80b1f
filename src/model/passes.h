// The passes that narrow a flattened input schema (model/simplify.h) to a provider's subset. The
// error's message is the reason for leaving the tool out. Internal to formats.cc.
#pragma once

#include "base/result.h"

namespace helve::model {

// What to do about a parameter that may be anything.
constexpr std::string_view kGiveType = "give it a type in the tool's schema";

Result<JsonObject> strict_schema(const JsonObject& schema);
// Without members the result is empty: Gemini wants no parameters rather than an empty object.
Result<JsonObject> gemini_schema(const JsonObject& schema);

}  // namespace helve::model
