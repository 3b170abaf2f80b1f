#include "tools/command_demand.h"

#include <algorithm>

#include "base/text.h"

namespace helve::tools {
namespace {

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Demand command_demand(std::string_view command,
                      const std::map<std::string, std::string>& variables) {
  Demand demand;
  for (const auto& [name, value] : variables) {
    demand.command += "export ";
    // What is no name must not look like something else.
    demand.command +=
        is_name(name) ? name + "=" + shell_quoted(value) : shell_quoted(name + "=" + value);
    demand.command += '\n';
  }
  demand.command += command;
  return demand;
}

}  // namespace helve::tools
