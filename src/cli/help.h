// Help: pages derived from the command table and the tools, wrapped for the screen they are shown
// on.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/names.h"

namespace helve::cli {

struct Page {
  size_t width = kDefaultWidth;
  Style style{};
};

std::string program_help(const Program& program, const Registry& registry, const Page& page);
std::string group_help(const Registry& registry, std::string_view group, const Page& page);
std::string tool_help(const Registry& registry, const Named& tool, const Page& page);
std::string command_help(const Command& command, const Page& page);

}  // namespace helve::cli
