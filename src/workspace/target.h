// Target: where a file is about to be written, held by the descriptor of its directory. From here
// on only single names are used, so nothing that is renamed or linked meanwhile can move the write
// elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/workspace.h"

namespace helve::workspace {

struct Target {
  sys::Fd directory;
  std::string name;
  std::string shown;  // the whole path, for messages
  std::string key;    // the same for every path that leads here

  // Directories that were made on the way, outermost first.
  struct Created {
    sys::Fd parent;
    std::string name;
  };
  std::vector<Created> created = {};

  // For a write that came to nothing. Directories that hold something by now stay.
  void remove_created();
};

struct WriteRules {
  Durability durability;
  std::span<const std::string> protected_directories;
};

// Makes missing directories. Refuses read-only roots, protected parts and directories (whatever
// leads to them) and paths that cannot name a file.
Result<Target> open_target(const Root& root, std::string_view path, std::string shown,
                           const WriteRules& rules);

}  // namespace helve::workspace
