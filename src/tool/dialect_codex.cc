#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Parameter kReadFile[] = {{"file_path", "path"},
                                   {"offset", "offset", 1, "Line to start at, counted from 1"}};
constexpr Parameter kListDir[] = {{"dir_path", "path"}};
constexpr Parameter kGrepFiles[] = {{"limit", "max_results"}};
constexpr Parameter kExecCommand[] = {{"cmd", "command"}};
constexpr Parameter kApplyPatch[] = {{"input", "patch"}};

constexpr Dialect::Entry kEntries[] = {
    {"read_file", "read", kReadFile},   {"list_dir", "ls", kListDir},
    {"grep_files", "grep", kGrepFiles}, {"exec_command", "exec", kExecCommand},
    {"shell_command", "exec", {}},      {"apply_patch", "apply_patch", kApplyPatch},
};

}  // namespace

constinit const Dialect kCodexDialect = {"codex", "Codex", kEntries};

}  // namespace helve::detail
