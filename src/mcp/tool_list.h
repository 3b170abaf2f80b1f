// ToolList: the answer to tools/list, rendered once for each revision and page and then only
// copied. Thread-safe.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/policy.h"
#include "mcp/options.h"
#include "mcp/version.h"

namespace helve::mcp {

class ToolList {
 public:
  // Borrows all. Without a policy everything is listed.
  ToolList(const Registry& registry, const Options& options, const dispatch::Policy* policy)
      : registry_(registry), options_(options), policy_(policy) {}

  // The page as members of the result: "tools":[…] and, when more follow, ,"nextCursor":"…". It is
  // shared, because another policy may come while one is being sent.
  using Page = std::shared_ptr<const std::string>;
  Result<Page> page(Version version, std::optional<std::string_view> cursor);

  // Whether other tools are listed now.
  bool set_policy(const dispatch::Policy* policy);

 private:
  std::vector<Page> render(Version version) const;
  void append_tool(std::string& out, const Tool& tool, std::string_view name,
                   Version version) const;

  const Registry& registry_;
  const Options& options_;
  std::mutex mutex_;  // guards what follows
  const dispatch::Policy* policy_;
  std::array<std::vector<Page>, kVersions> pages_;  // empty: not rendered yet
};

}  // namespace helve::mcp
