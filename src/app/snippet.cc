#include "app/snippet.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::app {

JsonObject mcp_snippet(const std::string& program, const std::string& root) {
  JsonArray arguments{"mcp"};
  if (!root.empty()) arguments.insert(arguments.end(), {Json("--root"), Json(root)});
  JsonObject server{{"command", program}, {"args", std::move(arguments)}};
  return {{"mcpServers", JsonObject{{"helve", std::move(server)}}}};
}

std::string mcp_snippet_text(const std::string& program, const std::string& root) {
  const JsonObject snippet = mcp_snippet(program, root);
  const Json& server = snippet.at("mcpServers").at("helve");
  std::vector<std::string> arguments;
  for (const Json& argument : server.at("args").as_array()) arguments.push_back(to_text(argument));
  return fmt::format(
      "{{\n  \"mcpServers\": {{\n    \"helve\": {{\n      \"command\": {},\n      \"args\": [{}]\n "
      "   }}\n  }}\n}}\n",
      to_text(server.at("command")), join(arguments, ", "));
}

}  // namespace helve::app
