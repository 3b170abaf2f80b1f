// DialectFace: tools as a dialect shows them: its names, and schemas with its parameters.
#pragma once

#include <string>

#include "tool/registry.h"

namespace helve::app {

class DialectFace {
 public:
  // Borrows both. Without a dialect tools keep their own names.
  DialectFace(const Registry& registry, const Dialect* dialect)
      : registry_(registry), dialect_(dialect) {}

  std::string name(const Tool& tool) const;
  std::string description(const Tool& tool) const;
  JsonObject input_schema(const Tool& tool) const;

 private:
  // The entry that a call by its name comes back through; null: the tool goes by its own name.
  const Dialect::Entry* entry(const Tool& tool) const;

  const Registry& registry_;
  const Dialect* dialect_;
};

}  // namespace helve::app
