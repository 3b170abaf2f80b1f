// Resources: the files of the workspace and the stored results of the session, for MCP clients. Files are read by the
// `read` tool through the dispatcher, so that policy, hooks and records hold for them too.
// Thread-safe.
#pragma once

#include "app/wire.h"
#include "mcp/source.h"

namespace helve::app {

constexpr size_t kMaxResourceBytes = 8u << 20;  // of one file; more is too_large
constexpr size_t kResourcesOnAPage = 200;

class Resources final : public mcp::ResourceSource {
 public:
  // Borrows the world.
  explicit Resources(World& world) : world_(world) {}

  Result<mcp::ResourcePage> list(std::optional<std::string_view> cursor, std::stop_token stop) override;
  std::vector<mcp::ResourceTemplate> templates() override;
  Result<std::vector<ResourceContent>> read(std::string_view uri, std::stop_token stop) override;
  Result<mcp::Completions> complete(std::string_view uri_template, const mcp::Typed& typed) override;

 private:
  Result<void> add_results(mcp::ResourcePage& page);
  Result<void> add_files(mcp::ResourcePage& page, std::string_view after, std::stop_token stop);
  Result<std::string> file_text(const std::string& path, std::stop_token stop);
  std::string file_template() const;
  bool may(std::string_view tool) const;  // the tool is loaded, and the policy allows it

  World& world_;
};

}  // namespace helve::app
