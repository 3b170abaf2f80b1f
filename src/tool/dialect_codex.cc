#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Dialect::Meaning kSlice[] = {{R"("slice")", ""}};
constexpr Parameter kReadFile[] = {
    {"file_path", "path"},
    {"offset", "offset", 1, "Line to start at, counted from 1"},
    {.theirs = "mode", .ours = "", .values = kSlice, .closed = true}};
constexpr Parameter kListDir[] = {
    {"dir_path", "path"},
    {"offset", "offset", 1, "Entry to start at, counted from 1"},
    {.theirs = "limit", .ours = "limit", .description = "Entries to show at most"}};
constexpr Dialect::Default kListDirDefaults[] = {{"depth", "2"}, {"limit", "25"}};
constexpr Parameter kGrepFiles[] = {
    {.theirs = "include",
     .ours = "include",
     .description = "Only files that match, e.g. *.rs or *.{ts,tsx}",
     .single = true},
    {.theirs = "limit", .ours = "max_results", .description = "Files to show at most"}};
constexpr Dialect::Default kGrepFilesDefaults[] = {{"output_mode", R"("files_with_matches")"}};
constexpr Dialect::Meaning kSandboxPermissions[] = {{R"("use_default")", ""},
                                                    {R"("require_escalated")", "true"}};
constexpr Parameter kEscalation = {
    .theirs = "sandbox_permissions",
    .ours = "full",
    .description = "require_escalated: without the sandbox; a rule or a person must allow that",
    .values = kSandboxPermissions,
    .closed = true};
constexpr Parameter kJustification = {"justification", ""};
constexpr Parameter kExecCommand[] = {{"cmd", "command"},
                                      {"tty", "terminal"},
                                      {"yield_time_ms", "yield_ms"},
                                      kEscalation,
                                      kJustification};
constexpr Parameter kShellCommand[] = {kEscalation, kJustification};
constexpr Parameter kApplyPatch[] = {{"input", "patch"}};

constexpr Dialect::Entry kEntries[] = {
    {"read_file", "read", kReadFile},
    {"view_image", "read", {}},
    {"list_dir", "ls", kListDir, kListDirDefaults},
    {"grep_files", "grep", kGrepFiles, kGrepFilesDefaults},
    {"exec_command", "exec", kExecCommand},
    {"shell_command", "exec", kShellCommand},
    {"apply_patch", "apply_patch", kApplyPatch},
};

}  // namespace

constinit const Dialect kCodexDialect = {"codex", "Codex", kEntries};

}  // namespace helve::detail
