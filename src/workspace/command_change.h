// What a command changed, for the journal: somebody else has made the change, and only what was
// there before can be known of it. From where that is known it is noted; nothing is copied that can
// be found again.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sys/file_at.h"
#include "workspace/change.h"

namespace helve::workspace {

// What bore a path.
struct Found {
  sys::FileStatus status;
  std::string target = {};  // of a link
};
struct CommandFile {
  std::string path;  // absolute, without links
  std::optional<Found> before, after;
};
// A repository before the command.
struct KnownRepository {
  std::string top;        // absolute: where its working tree begins
  std::string directory;  // absolute: .git
  std::shared_ptr<const sys::Fd> index;
};
struct CommandChange {
  std::vector<CommandFile> files;  // in the order of paths
  std::vector<KnownRepository> repositories = {};
  std::set<std::string> others = {};  // what tools changed meanwhile: nothing takes it along
};

// What came of it. Without an id there is nothing that could be restored.
struct CommandNote {
  std::string id = {};
  std::string lost_because = {};          // without an id: why nothing can be restored
  std::vector<std::string> unknown = {};  // as the workspace shows them: what cannot be restored
  std::set<std::string> same = {};        // absolute: written, and known to hold what they held
};

}  // namespace helve::workspace
