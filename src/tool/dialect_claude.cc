#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

// Models start at 0, too.
constexpr Dialect::Meaning kFirstLine[] = {{"0", "0"}};
constexpr Parameter kRead[] = {{"file_path", "path"},
                               {.theirs = "offset",
                                .ours = "offset",
                                .shift = 1,
                                .description = "Line to start at, counted from 1",
                                .values = kFirstLine}};
constexpr Parameter kWrite[] = {{"file_path", "path"}};
constexpr Parameter kReplacement[] = {{"old_string", "old_text"}, {"new_string", "new_text"}};
constexpr Dialect::Entry kReplacements = {"an edit", "edit", kReplacement};
constexpr Parameter kEdit[] = {{"file_path", "path"},
                               {"old_string", "old_text"},
                               {"new_string", "new_text"},
                               {.theirs = "edits", .ours = "edits", .inside = &kReplacements}};
constexpr Dialect::Meaning kIgnoreCase[] = {{"true", R"("insensitive")"}, {"false", ""}};
constexpr Dialect::Meaning kNoLimit[] = {{"0", "1000000"}};
// Models send an empty text for what they do not mean.
constexpr Dialect::Meaning kNothing[] = {{R"("")", ""}};
constexpr Parameter kPath[] = {{.theirs = "path", .ours = "path", .values = kNothing}};
constexpr Parameter kList[] = {{.theirs = "path", .ours = "path", .values = kNothing},
                               {"ignore", "exclude"}};
constexpr Dialect::Meaning kNumbers[] = {{"true", ""}, {"false", "true"}};
constexpr Parameter kGrep[] = {
    {.theirs = "path", .ours = "path", .values = kNothing},
    {.theirs = "glob",
     .ours = "include",
     .description = "Only files that match, e.g. *.cc or src/**; several between blanks or commas",
     .values = kNothing,
     .single = true,
     .several = true},
    {.theirs = "type", .ours = "type", .values = kNothing},
    {"-A", "after", 0, "Lines to show after each match; default: -C"},
    {"-B", "before", 0, "Lines to show before each match; default: -C"},
    {"-C", "context"},
    {.theirs = "-i",
     .ours = "case",
     .description = "Ignore case",
     .values = kIgnoreCase,
     .closed = true},
    {.theirs = "-n",
     .ours = "no_line_numbers",
     .description = "Show line numbers; default true",
     .values = kNumbers,
     .closed = true},
    {.theirs = "head_limit",
     .ours = "max_results",
     .description = "Matching lines (or files) to show at most; the rest is counted; 0 is no limit",
     .values = kNoLimit},
    {.theirs = "multiline",
     .ours = "multiline",
     .description = "Matches may span lines: . and \\s match newlines"}};
// Its multiline is ripgrep's with --multiline-dotall.
constexpr Dialect::Default kGrepDefaults[] = {
    {"output_mode", R"("files_with_matches")"}, {"max_results", "250"}, {"dotall", "true"}};
// Their timeout counts milliseconds; under a name of its own it cannot be taken for seconds.
constexpr Parameter kBash[] = {{"run_in_background", "background"},
                               {"timeout", "timeout_ms"},
                               {"dangerouslyDisableSandbox", "full"},
                               {"description", ""}};
// It keeps its directory between calls, and nothing else.
constexpr Dialect::Default kBashDefaults[] = {
    {"keep_directory", "true"}, {"shell", R"("bash")"}, {"timeout_ms", "120000"}};
// Their agent for everything is who calls it.
constexpr Dialect::Meaning kAnyAgent[] = {{R"("general-purpose")", ""}, {R"("")", ""}};
constexpr Parameter kAgent[] = {{.theirs = "subagent_type", .ours = "agent", .values = kAnyAgent},
                                {"run_in_background", "background"},
                                {"model", ""}};
constexpr Parameter kMemorySearch[] = {{"maxResults", "max_results"}};
constexpr Parameter kMemoryGet[] = {{"filePath", "path"}};

constexpr Dialect::Entry kEntries[] = {
    {"Read", "read", kRead},
    {"Write", "write", kWrite},
    {"Edit", "edit", kEdit},
    {"MultiEdit", "edit", kEdit},
    {"LS", "ls", kList},
    {"Glob", "glob", kPath},
    {"Grep", "grep", kGrep, kGrepDefaults},
    {"Bash", "exec", kBash, kBashDefaults},
    {"WebSearch", "web_search", {}},
    {"WebFetch", "web_fetch", {}},
    {"Agent", "agent", kAgent},
    {"Task", "agent", kAgent},
    {"subagent_list", "subagents", {}},
    {"str_replace_based_edit_tool", "editor", {}},
    {"str_replace_editor", "editor", {}},
    {"memory_search", "memory_search", kMemorySearch},
    {"memory_get", "memory_get", kMemoryGet},
};

}  // namespace

constinit const Dialect kClaudeDialect = {"claude", "Claude Code and CamelAGI", kEntries};

}  // namespace helve::detail
