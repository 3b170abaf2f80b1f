// Prompts: what MCP clients offer their users to start with: one of ours that tells what the tools
// can do, and the templates among the user's own files. Thread-safe; the files are read when
// somebody first asks.
#pragma once

#include <mutex>

#include "app/wire.h"
#include "guidance/library.h"

namespace helve::app {

class Prompts final : public mcp::PromptSource {
 public:
  // Borrows the world.
  Prompts(World& world, std::string config_directory, Tell tell)
      : world_(world), config_directory_(std::move(config_directory)), tell_(std::move(tell)) {}

  std::vector<mcp::Prompt> list() override;
  Result<mcp::RenderedPrompt> get(std::string_view name, const mcp::Arguments& arguments,
                                  std::stop_token stop) override;
  Result<mcp::Completions> complete(std::string_view name, const mcp::Typed& typed) override;

 private:
  const std::vector<guidance::Prompt>& templates();
  Result<mcp::RenderedPrompt> describe_tools(const mcp::Arguments& arguments) const;
  std::vector<std::string> groups() const;

  World& world_;
  const std::string config_directory_;
  const Tell tell_;
  std::once_flag once_;
  std::vector<guidance::Prompt> templates_;  // after once_
};

}  // namespace helve::app
