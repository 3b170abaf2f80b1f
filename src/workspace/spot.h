// Spot: a name in a directory below a writable root. The directory is open only while it is used,
// since a change may have more of them than a process may have descriptors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workspace/workspace.h"

namespace helve::workspace {

// Only this tells that nothing has the name. Whatever else goes wrong tells nothing.
bool is_absence(std::errc number);

// What has the name; nothing when nothing has.
sys::OrErrno<std::optional<sys::FileStatus>> look_at(const sys::Fd& directory,
                                                     std::string_view name);

class Spot {
 public:
  // Of an absolute path without links. Nothing when no writable root has it. The roots must outlive
  // it.
  static std::optional<Spot> find(std::span<const Root> roots, std::string_view path);

  const std::string& name() const { return name_; }
  // Nothing when there is no such directory.
  sys::OrErrno<std::optional<sys::Fd>> open() const;

 private:
  Spot(const Root& root, std::string_view directory, std::string_view name)
      : root_(&root), directory_(directory), name_(name) {}

  const Root* root_;
  std::string directory_;  // below the root
  std::string name_;
};

// Removes those directories that hold nothing, in this order. Fails when one that holds nothing
// could not be removed.
sys::OrErrno<void> remove_empty(std::span<const Root> roots, std::span<const std::string> paths);

}  // namespace helve::workspace
