// Notes: what a provider's schema cannot say is said to the model in the description instead.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::model {

class Notes {
 public:
  void add(std::string note);
  // The ones below only when the schema has the keyword.
  void add_default(const JsonObject& schema);
  void add_length(const JsonObject& schema);  // "1 to 80 characters"
  void add_value(const JsonObject& schema, std::string_view keyword,
                 std::string_view words);      // "words 5"
  void add_choices(const JsonObject& schema);  // "one of 1, 2, 3"

  // Puts the description with the notes, "… (default: 10; 1 to 80 characters)", into `out`, if
  // there is any of both.
  void describe(const JsonObject& schema, JsonObject& out) const;

 private:
  std::string text_;
};

// Whether every engine understands the expression: no look-around, back-references, or named
// groups.
bool is_portable_pattern(std::string_view expression);

}  // namespace helve::model
