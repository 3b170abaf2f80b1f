#include "tool/dialect_tables.h"

namespace helve::detail {
namespace {

using Parameter = Dialect::Parameter;

constexpr Parameter kWebSearch[] = {{"maxResults", "max_results"}};

constexpr Dialect::Entry kEntries[] = {
    {"file_read", "read", {}},
    {"file_write", "write", {}},
    {"file_edit", "edit", {}},
    {"file_list", "ls", {}},
    {"file_delete", "delete", {}},
    {"shell_exec", "exec", {}},
    {"web_search", "web_search", kWebSearch},
};

}  // namespace

constinit const Dialect kAstraDialect = {"astra", "OpenAstra", kEntries};

}  // namespace helve::detail
