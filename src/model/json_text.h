// JSON as text: where a provider's schemas cannot say what an object or a list holds, the model is
// asked for a string of JSON. The dispatcher takes it for what it says (schema/texts.h). Internal
// to the passes.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve::model {

// Whether only a string will do: a map, an object without named members, a list of anything. Takes
// a simplified schema (model/simplify.h), as all of these do. Not for the root.
bool needs_text(const JsonObject& schema);
// The string that is asked for, as a simplified schema; its description says what to write.
JsonObject text_schema(const JsonObject& schema);

// Beside a string nobody could tell which of the two is meant: the error is the reason.
Result<void> check_choice(const JsonArray& choice, std::string_view path);

}  // namespace helve::model
