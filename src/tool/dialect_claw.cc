#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

// Its globs are one string each.
constexpr Parameter kGrep[] = {{"context_lines", "context"},
                               {.theirs = "include", .ours = "include", .single = true},
                               {.theirs = "exclude", .ours = "exclude", .single = true}};
constexpr Parameter kLs[] = {{"show_hidden", "hidden"}};
constexpr Parameter kProcess[] = {{"pid", "process_id"}};

// Most of its names are canonical already; only those that differ stand here.
constexpr Dialect::Entry kEntries[] = {
    {"grep", "grep", kGrep},
    {"ls", "ls", kLs},
    {"process", "process", kProcess},
    {"session_status", "sessions_status", {}},
};

}  // namespace

constinit const Dialect kClawDialect = {"claw", "miclaw and OpenClaw", kEntries};

}  // namespace helve::detail
