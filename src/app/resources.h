// Resources: the files of the workspace and the stored results of the session, for MCP clients.
// They are read by the tools for that, so that policy, hooks and records hold for them too; what
// the policy asks about is not listed. Every request is answered from one place, whatever moves
// meanwhile. Thread-safe.
#pragma once

#include "app/wire.h"
#include "mcp/source.h"

namespace helve::app {

constexpr size_t kMaxResourceBytes = 8u << 20;  // of one resource; more is too_large
constexpr size_t kResourcesOnAPage = 200;

class Resources final : public mcp::ResourceSource {
 public:
  // Borrows the world.
  explicit Resources(World& world) : world_(world) {}

  Result<mcp::ResourcePage> list(std::optional<std::string_view> cursor,
                                 std::stop_token stop) override;
  std::vector<mcp::ResourceTemplate> templates() override;
  Result<std::vector<ResourceContent>> read(std::string_view uri, std::stop_token stop) override;
  Result<mcp::Completions> complete(std::string_view uri_template,
                                    const mcp::Typed& typed) override;

 private:
  World& world_;
};

}  // namespace helve::app
