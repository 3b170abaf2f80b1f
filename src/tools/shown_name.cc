#include "tools/shown_name.h"

#include "base/text.h"

namespace helve::tools {
namespace {

std::string with_backslash_before(std::string_view text, std::string_view which) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (which.find(c) != which.npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string shown_name(std::string_view name) {
  if (!name.starts_with('"') && escape_for_display(name) == name) return std::string(name);
  return '"' + escape_for_display(with_backslash_before(name, "\\\"")) + '"';
}

std::string shown_name(std::string_view name, bool is_escaped) {
  // Part of an escaped path may have nothing to escape.
  if (!is_escaped || name.find('\\') == name.npos) return shown_name(name);
  return '"' + escape_for_display(with_backslash_before(name, "\"")) + '"';
}

}  // namespace helve::tools
