// The lines that connect an MCP client to this program.
#pragma once

#include <string>

#include "base/json.h"

namespace helve::app {

// {"mcpServers": {"helve": {"command": …, "args": ["mcp", "--root", …]}}}; without a root the
// client's own is used.
JsonObject mcp_snippet(const std::string& program, const std::string& root);

// The same for people: one short line a level.
std::string mcp_snippet_text(const std::string& program, const std::string& root);

}  // namespace helve::app
