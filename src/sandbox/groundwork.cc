#include "sandbox/groundwork.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>

#include "sandbox/failure.h"

namespace helve::sandbox {

bool Groundwork::holds() const {
  if (!is_laid_) return false;
  // In this order: changes are forgotten only after those who were cloned before are told.
  pollfd events[] = {{changes_->descriptor(), POLLIN, 0}, {outdated_.get(), POLLIN, 0}};
  return poll(events, std::size(events), 0) == 0;
}

Result<void> Groundwork::begin() {
  is_laid_ = false;
  if (outdated_ && eventfd_write(outdated_.get(), 1) != 0) return failure("tell commands", errno);
  outdated_ = sys::Fd(eventfd(0, EFD_CLOEXEC));
  if (!outdated_) return failure("tell commands", errno);
  // One for good: the kernel takes milliseconds to forget a watch.
  if (!changes_) changes_ = TRY(Watch::make(Watch::Of::everything));
  changes_->forget_changes();
  return {};
}

}  // namespace helve::sandbox
