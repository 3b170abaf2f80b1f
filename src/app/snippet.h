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

// What does the same for Claude Code, and what Codex has in ~/.codex/config.toml for it.
std::string claude_code_command(const std::string& program, const std::string& root);
std::string codex_snippet(const std::string& program, const std::string& root);

}  // namespace helve::app
