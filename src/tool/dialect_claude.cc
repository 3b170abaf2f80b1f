#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Parameter kRead[] = {{"file_path", "path"},
                               {"offset", "offset", 1, "Line to start at, counted from 1"}};
constexpr Parameter kWrite[] = {{"file_path", "path"}};
constexpr Parameter kEdit[] = {
    {"file_path", "path"}, {"old_string", "old_text"}, {"new_string", "new_text"}};
constexpr Parameter kGrep[] = {
    {"glob", "include"}, {"-C", "context_lines"}, {"head_limit", "max_results"}};
// Their timeout counts milliseconds; under a name of its own it cannot be taken for seconds.
constexpr Parameter kBash[] = {
    {"run_in_background", "background"}, {"timeout", "timeout_ms"}, {"description", ""}};
constexpr Parameter kMemorySearch[] = {{"maxResults", "max_results"}};
constexpr Parameter kMemoryGet[] = {{"filePath", "path"}};

constexpr Dialect::Entry kEntries[] = {
    {"Read", "read", kRead},
    {"Write", "write", kWrite},
    {"Edit", "edit", kEdit},
    {"LS", "ls", {}},
    {"Glob", "glob", {}},
    {"Grep", "grep", kGrep},
    {"Bash", "bash", kBash},
    {"WebSearch", "web_search", {}},
    {"WebFetch", "web_fetch", {}},
    {"Agent", "subagent", {}},
    {"Task", "subagent", {}},
    {"subagent_list", "subagents", {}},
    {"str_replace_based_edit_tool", "editor", {}},
    {"str_replace_editor", "editor", {}},
    {"memory_search", "memory_search", kMemorySearch},
    {"memory_get", "memory_get", kMemoryGet},
};

}  // namespace

constinit const Dialect kClaudeDialect = {"claude", "Claude Code and CamelAGI", kEntries};

}  // namespace helve::detail
