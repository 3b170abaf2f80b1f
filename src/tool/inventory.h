// Inventory: what a caller can use: the tools that its rules allow, and those of other servers.
#pragma once

#include <string>
#include <vector>

#include "tool/tool.h"

namespace helve {

// An MCP server that is connected, and what it says of its tools.
struct ConnectedServer {
  struct Offer {
    std::string name;
    std::string description;
  };
  std::string name;
  std::vector<Offer> tools;
};

class Inventory {
 public:
  virtual ~Inventory() = default;
  // Those that are loaded and not denied, in the order of the registry. They outlive the call.
  virtual std::vector<const Tool*> tools() const = 0;
  // None, unless somebody connects some.
  virtual std::vector<ConnectedServer> servers() const { return {}; }
};

}  // namespace helve
