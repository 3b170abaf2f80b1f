#include "sandbox/groundwork.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "sandbox/watch.h"

namespace helve::sandbox {

bool Groundwork::holds() const {
  // In this order: changes are forgotten only after those who were cloned before are told.
  pollfd events[] = {{changes_.get(), POLLIN, 0}, {outdated_.get(), POLLIN, 0}};
  return is_laid_ && can_hold_ && poll(events, std::size(events), 0) == 0;
}

void Groundwork::begin(std::span<const std::string> directories) {
  is_laid_ = false;
  if (outdated_ && eventfd_write(outdated_.get(), 1) != 0) return give_up();
  outdated_ = sys::Fd(eventfd(0, EFD_CLOEXEC));
  // One for good: the kernel takes milliseconds to forget a watch.
  if (!changes_) changes_ = sys::Fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!changes_ || !outdated_) return give_up();
  char events[16384];
  while (read(changes_.get(), events, sizeof events) > 0) {
  }
  if (!watch_all(changes_, directories)) give_up();
}

void Groundwork::give_up() { can_hold_ = false; }

}  // namespace helve::sandbox
