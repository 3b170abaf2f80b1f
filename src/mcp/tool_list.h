// ToolList: the answer to tools/list, rendered once for each kind of reader and page and then only
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

  // Who is told: what the revision has, and whether answers will have a structured value.
  struct Reader {
    Version version = kModern;
    bool structured = true;
  };
  // The page as members of the result: "tools":[…] and, when more follow, ,"nextCursor":"…". It is
  // shared, because another policy may come while one is being sent.
  using Page = std::shared_ptr<const std::string>;
  Result<Page> page(Reader reader, std::optional<std::string_view> cursor);

  // Whether other tools are listed now.
  bool set_policy(const dispatch::Policy* policy);

 private:
  std::vector<Page> render(Reader reader) const;
  void append_tool(std::string& out, const Tool& tool, std::string_view name, Reader reader) const;

  const Registry& registry_;
  const Options& options_;
  std::mutex mutex_;  // guards what follows
  const dispatch::Policy* policy_;
  using Pages = std::vector<Page>;                     // empty: not rendered yet
  std::array<std::array<Pages, 2>, kVersions> pages_;  // by revision, without and with values
};

}  // namespace helve::mcp
