#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

// Its editor counts lines from 1 and inserts after line 0 for the top, and so does ours. Its module
// `edit` has the tool `editor`; `edit` alone stays our tool of that name.
constexpr Dialect::Entry kEntries[] = {
    {"bash", "bash", {}},
    {"editor", "editor", {}},
};

}  // namespace

constinit const Dialect kHyperDialect = {"hyper", "HyperAgents", kEntries};

}  // namespace helve::detail
