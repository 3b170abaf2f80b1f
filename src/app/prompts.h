// Prompts: what MCP clients offer their users to start with: one of ours that tells what the tools
// can do, and the user's own files. Thread-safe; the files are read when somebody first asks.
#pragma once

#include <mutex>

#include "app/prompt_files.h"
#include "app/wire.h"

namespace helve::app {

class Prompts final : public mcp::PromptSource {
 public:
  // Borrows the world.
  Prompts(World& world, std::string directory, Tell tell)
      : world_(world), directory_(std::move(directory)), tell_(std::move(tell)) {}

  std::vector<mcp::Prompt> list() override;
  Result<mcp::RenderedPrompt> get(std::string_view name, const mcp::Arguments& arguments,
                                  std::stop_token stop) override;
  Result<mcp::Completions> complete(std::string_view name, const mcp::Typed& typed) override;

 private:
  const PromptFiles& files();
  Result<mcp::RenderedPrompt> describe_tools(const mcp::Arguments& arguments) const;
  std::vector<std::string> groups() const;

  World& world_;
  const std::string directory_;
  const Tell tell_;
  std::once_flag once_;
  PromptFiles files_;  // after once_
};

}  // namespace helve::app
