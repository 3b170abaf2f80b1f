#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Parameter kPath[] = {{"logical_path", "path"}};
// These two have the word of the others besides.
constexpr Parameter kPlainPath[] = {{"path", "path"}, {"logical_path", "path"}};
// Its lines count from 1; ours are lines to skip, as with `read`.
constexpr Parameter kRead[] = {{"logical_path", "path"},
                               {"offset", "offset", 1, "Line to start at, counted from 1"}};
constexpr Parameter kQuery[] = {{"logical_path", "path"}, {"output_logical_path", "output_path"}};
constexpr Dialect::Meaning kIgnoreCase[] = {{"true", R"("insensitive")"}, {"false", ""}};
constexpr Parameter kGrep[] = {{.theirs = "glob",
                                .ours = "include",
                                .description = "Only files that match, e.g. *.md or notes/**",
                                .single = true},
                               {.theirs = "ignore_case",
                                .ours = "case",
                                .description = "Ignore case",
                                .values = kIgnoreCase,
                                .closed = true}};

// Those that most need first: not all of them are served unless somebody asks.
constexpr Dialect::Entry kEntries[] = {
    {"membot_add", "kb_add", kPath},          {"membot_list", "kb_list", {}},
    {"membot_tree", "kb_tree", {}},           {"membot_read", "kb_read", kRead},
    {"membot_search", "kb_search", {}},       {"membot_info", "kb_info", kPath},
    {"membot_write", "kb_write", kPlainPath}, {"membot_edit", "kb_edit", kPath},
    {"membot_copy", "kb_copy", {}},           {"membot_move", "kb_move", {}},
    {"membot_remove", "kb_remove", kPath},    {"membot_exists", "kb_exists", kPath},
    {"membot_pipe", "kb_pipe", kPlainPath},   {"membot_query", "kb_query", kQuery},
    {"search_grep", "grep", kGrep},           {"membot_versions", "kb_versions", kPath},
    {"membot_diff", "kb_diff", kPath},        {"membot_refresh", "kb_refresh", {}},
    {"membot_sources", "kb_sources", {}},     {"membot_count_lines", "kb_count_lines", kPath},
    {"membot_stats", "kb_stats", {}},         {"membot_prune", "kb_prune", {}},
    {"mcp_list_tools", "mcp_list", {}},
};

}  // namespace

constinit const Dialect kBotholomewDialect = {"botholomew", "Botholomew and membot", kEntries};

}  // namespace helve::detail
