// Texts: objects and lists that came as a string of JSON, where the schema takes no string. Models
// write them so by mistake, and where a provider's schemas cannot say what an object holds they are
// asked to (model/json_text.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace helve::schema {

struct DecodedTexts {
  Json value;  // with what the strings say in their places
  // Where a provider's schema would have said what to write ("edits"): nobody asked for a string.
  std::vector<std::string> unasked;
};

// Nothing when there is no such string: most values are looked through and no more.
std::optional<DecodedTexts> decode_texts(const JsonObject& schema, const Json& value);

}  // namespace helve::schema
