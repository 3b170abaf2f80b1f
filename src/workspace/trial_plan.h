// TrialPlan: the changes that make a trial real.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workspace/trial.h"

namespace helve::workspace {

// The two trees of one root.
struct BothTrees {
  sys::Fd upper, lower;
};
Result<BothTrees> open_trees(const TrialLayer& layer);

class TrialPlan {
 public:
  // Errors: a conflict (changed_meanwhile), or what is too large to be applied.
  Result<void> add(const TrialLayer& layer, const BothTrees& trees, const Altered& altered);

  // What they copy is open as long as this is.
  std::vector<Change> changes;
  // Of directories that stay: set after all else, and not known to the journal.
  struct Mode {
    std::string root, path;  // below the root
    std::uint32_t mode;
  };
  std::vector<Mode> modes;
  // New directories; they are made all the same.
  std::vector<std::string> too_large_to_undo = {};
  // Names those that could not be set, and says what undo leaves.
  void set_modes(const Workspace& files, std::vector<std::string>& notes) const;

 private:
  Result<void> add_content(const std::string& path, const BothTrees& trees, const Altered& altered);
  Result<void> add_copy(const std::string& path, const BothTrees& trees, const Altered& altered);

  std::vector<std::unique_ptr<sys::Fd>> held_;
};

}  // namespace helve::workspace
