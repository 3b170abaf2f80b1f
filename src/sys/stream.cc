#include "sys/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace helve::sys {
namespace {

Error no_descriptor(std::string_view what) {
  return Error{Code::unavailable, fmt::format("cannot {}: {}", what, strerrordesc_np(errno)),
               "allow more open files (ulimit -n)"};
}

// False: waiting is not possible.
bool wait_for(int descriptor, short events) {
  pollfd waiting{descriptor, events, 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

Result<Wakeup> Wakeup::make() {
  Fd event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return no_descriptor("make an event descriptor");
  return Wakeup(std::move(event));
}

void Wakeup::signal() const {
  const int saved = errno;  // this may run inside a signal handler
  const std::uint64_t one = 1;
  // It fails only when the counter is at its highest value, and then the signal stands already.
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
  errno = saved;
}

void Wakeup::wait() const {
  pollfd event{event_.get(), POLLIN, 0};
  while (::poll(&event, 1, -1) < 0 && errno == EINTR) {
  }
}

Result<Fd> duplicate(int descriptor) {
  Fd copy(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!copy) return no_descriptor(fmt::format("duplicate descriptor {}", descriptor));
  return copy;
}

ReadOutcome read_some(int descriptor, char* buffer, size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, size);
    if (count > 0) return {static_cast<size_t>(count)};
    if (count == 0) return {0, ReadEnd::end};
    const bool again = errno == EINTR || (errno == EAGAIN && wait_for(descriptor, POLLIN));
    if (!again) return {0, ReadEnd::failed};
  }
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      continue;
    }
    const bool again = errno == EINTR || (errno == EAGAIN && wait_for(descriptor, POLLOUT));
    if (!again) return false;
  }
  return true;
}

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace helve::sys
