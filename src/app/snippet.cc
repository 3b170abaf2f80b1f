#include "app/snippet.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::app {
namespace {

std::vector<std::string> words_for(const std::string& root) {
  std::vector<std::string> words{"mcp"};
  if (!root.empty()) words.insert(words.end(), {"--root", root});
  return words;
}

// As JSON and TOML write a list of strings.
std::string listed(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(to_text(Json(word)));
  return fmt::format("[{}]", join(quoted, ", "));
}

}  // namespace

JsonObject mcp_snippet(const std::string& program, const std::string& root) {
  JsonArray arguments;
  for (std::string& word : words_for(root)) arguments.emplace_back(std::move(word));
  JsonObject server{{"command", program}, {"args", std::move(arguments)}};
  return {{"mcpServers", JsonObject{{"helve", std::move(server)}}}};
}

std::string mcp_snippet_text(const std::string& program, const std::string& root) {
  return fmt::format(
      "{{\n  \"mcpServers\": {{\n    \"helve\": {{\n      \"command\": {},\n      \"args\": {}\n "
      "   }}\n  }}\n}}\n",
      to_text(Json(program)), listed(words_for(root)));
}

std::string claude_code_command(const std::string& program, const std::string& root) {
  const std::string there = root.empty() ? "" : " --root " + shell_quoted(root);
  return fmt::format("claude mcp add helve -- {} mcp{}\n", shell_quoted(program), there);
}

std::string codex_snippet(const std::string& program, const std::string& root) {
  return fmt::format("[mcp_servers.helve]\ncommand = {}\nargs = {}\n", to_text(Json(program)),
                     listed(words_for(root)));
}

}  // namespace helve::app
