#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Parameter kProcess[] = {{"pid", "process_id"}};

// Most of its names are canonical already; only those that differ stand here.
constexpr Dialect::Entry kEntries[] = {
    {"process", "process", kProcess},
    {"session_status", "sessions_status", {}},
};

}  // namespace

constinit const Dialect kClawDialect = {"claw", "miclaw and OpenClaw", kEntries};

}  // namespace helve::detail
