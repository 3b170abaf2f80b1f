// ChangeSet: several changes made as a whole or not at all. Everything is resolved, locked, looked
// at and staged before the first name changes; from then on any failure takes back what was done.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workspace/step.h"

namespace helve::workspace {

// For one thread. The changes must outlive it.
class ChangeSet {
 public:
  explicit ChangeSet(const WriteRules& rules) : targets_(rules), durability_(rules.durability) {}

  // In this order. Each leaves nothing behind when it fails.
  struct Where {
    const Root* root;
    std::string_view path;  // below the root
    std::string shown;
  };
  Result<void> add(const Change& change, Where where, std::optional<Where> to,
                   std::optional<Where> like, const Leftovers& names);
  // The names to be locked. Fails when changes get in each other's way.
  Result<std::vector<std::string>> keys() const;
  Result<void> look();
  Result<void> stage(Leftovers& leftovers);
  // Once everything that must survive a power failure together with it was written.
  Result<void> perform();
  // What was there before goes.
  void finish();

  std::vector<Step>& steps() { return steps_; }
  Targets& targets() { return targets_; }
  // Whether perform() failed only since somebody made a file that was to be made: another look may
  // find it possible.
  bool lost_a_race() const { return lost_a_race_; }

 private:
  Result<void> stage_all(Leftovers& leftovers);
  sys::OrErrno<void> sync_staged() const;
  Error taken_back(Error why);

  struct Model {  // of a new file
    sys::Fd file;
    sys::FileStatus status;
  };
  Targets targets_;
  Durability durability_;
  std::vector<Step> steps_;
  std::vector<std::optional<Model>> models_;  // one for each step
  bool lost_a_race_ = false;
};

}  // namespace helve::workspace
