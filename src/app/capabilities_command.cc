// helve capabilities: the tool capabilities_refresh, under the name that people look for.
#include "app/app.h"
#include "cli/run.h"

namespace helve::app {
namespace {

struct CapabilitiesInput {
  bool include_mcp = true;
  static constexpr auto schema() {
    return schema::object(
        "Write anew what the tools can do, for the sessions of this workspace",
        schema::opt<&CapabilitiesInput::include_mcp>("Also the tools of connected MCP servers"));
  }
};

}  // namespace

cli::Command capabilities_command() {
  return cli::make_command<CapabilitiesInput>(
      "capabilities",
      "The same as helve capabilities refresh. What the configured model makes of the tools, or "
      "their groups where there is none, becomes the prompt .helve/prompts/capabilities.md, with "
      "which every session in this workspace begins.",
      {{"Anew", "helve capabilities"}},
      [](const CapabilitiesInput& in, cli::Run& run) -> Result<int> {
        const Json arguments = JsonObject{{"include_mcp", in.include_mcp}};
        return cli::call_tool(run, "capabilities_refresh", &arguments, {});
      });
}

}  // namespace helve::app
