// Listing: the tools as a table for people, as JSON for programs, and as the generated page of the
// documentation.
#pragma once

#include <string>
#include <vector>

#include "cli/help.h"
#include "tool/registry.h"

namespace helve::cli {

// Which tools, in which order. Borrowed from the registry.
using ToolList = std::vector<const Tool*>;

std::string tools_table(const Registry& registry, const ToolList& tools, const Page& page);
JsonArray tools_json(const Registry& registry, const ToolList& tools);
std::string tools_markdown(const Registry& registry, const ToolList& tools);

}  // namespace helve::cli
