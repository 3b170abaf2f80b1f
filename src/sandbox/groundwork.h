// Groundwork: what is done for a command before there is one, and whether it still holds when there
// is: until anybody changes what it rests on.
#pragma once

#include <optional>

#include "base/result.h"
#include "sandbox/watch.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

class Groundwork {
 public:
  // For a process that was cloned after it was laid.
  bool holds() const;
  // Whether it is time to lay it again; not where something could change unnoticed.
  bool is_worn() const { return !(changes_ && changes_->is_blind()) && !holds(); }

 private:
  friend class Enclosure;
  // Nobody who was cloned before this has it any more, and what changed before this counts no more.
  Result<void> begin();

  std::optional<Watch> changes_;  // of what it rests on
  sys::Fd outdated_;              // readable: it was laid again
  bool is_laid_ = false;
};

}  // namespace helve::sandbox
