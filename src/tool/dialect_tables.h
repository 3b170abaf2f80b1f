// The dialects themselves, one file each: dialect_<name>.cc. Only dialect.cc reads them.
#pragma once

#include "tool/dialect.h"

namespace helve::detail {

extern const Dialect kClaudeDialect;
extern const Dialect kClawDialect;
extern const Dialect kAstraDialect;
extern const Dialect kBotholomewDialect;
extern const Dialect kHyperDialect;
extern const Dialect kCodexDialect;

}  // namespace helve::detail
