// References: what $ref and $dynamicRef mean within one schema document. Nothing is ever fetched.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"

namespace helve::schema {

class References {
 public:
  // Borrows the document. Schemas nested deeper than `depth` are not looked at.
  References(const Json& document, size_t depth);

  // The schema that `reference`, standing in the schema `holder`, means; null when it is not in the
  // document.
  const Json* resolve(const Json& holder, std::string_view reference) const;

 private:
  void index(const Json& schema, const std::string& base, size_t depth);

  std::unordered_map<std::string, const Json*> named_;    // "base" and "base#anchor"
  std::unordered_map<const Json*, std::string> base_of_;  // only where it is not empty
};

// What a JSON pointer ("/properties/x") finds below `document`; null when there is nothing.
const Json* at_pointer(const Json& document, std::string_view pointer);

}  // namespace helve::schema
