// How a file's name stands in a text.
#pragma once

#include <string>
#include <string_view>

namespace helve::tools {

// As it is; or in quotes when something in it must be escaped (\n, \xff, \u{202e}), with a
// backslash before each quote and backslash of its own, so that no two names look alike.
std::string shown_name(std::string_view name);
// Of a name that escape_invalid_utf8 may have escaped.
std::string shown_name(std::string_view name, bool is_escaped);

}  // namespace helve::tools
