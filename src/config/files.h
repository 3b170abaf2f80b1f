// The files that configuration is read from, opened so that nobody else can have written them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "sys/owner.h"

namespace helve::config {

constexpr const char* kWorkspaceConfig = ".helve/config.yaml";

// A file of the user's own: not a link, not another user's, not writable by anybody but `writers`.
// Nothing when it is missing.
Result<std::optional<std::string>> read_own_file(
    const std::string& path, size_t limit, sys::Writers writers = sys::Writers::owner_and_group);

struct WorkspaceFile {
  std::string path;  // absolute, without links: what trust is bound to
  std::string content;
};
// The config file of a workspace. Nothing when it is missing; an error of type symbolic_link when
// it, or the directory it is in, is a link.
Result<std::optional<WorkspaceFile>> read_workspace_file(const std::string& workspace);

}  // namespace helve::config
