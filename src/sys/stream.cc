#include "sys/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

namespace helve::sys {
namespace {

Error no_descriptor(std::string_view what) {
  return Error{Code::unavailable, fmt::format("cannot {}: {}", what, strerrordesc_np(errno)),
               "allow more open files (ulimit -n)"};
}

int milliseconds_until(std::chrono::steady_clock::time_point end) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp(left, milliseconds(0), milliseconds(INT_MAX)).count());
}

// False: waiting is not possible.
bool wait_for(int descriptor, short events) {
  pollfd waiting{descriptor, events, 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

size_t written_until(int descriptor, std::string_view bytes,
                     std::chrono::steady_clock::time_point end) {
  size_t written = 0;
  while (written < bytes.size()) {
    pollfd waiting{descriptor, POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    // A pipe that says it is ready takes this much without blocking, and more perhaps not.
    const ssize_t count = ::write(descriptor, bytes.data() + written,
                                  std::min<size_t>(bytes.size() - written, PIPE_BUF));
    if (count >= 0)
      written += static_cast<size_t>(count);
    else if (errno != EINTR && errno != EAGAIN)
      break;
  }
  return written;
}

}  // namespace

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return no_descriptor("make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

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

void Wakeup::reset() const {
  std::uint64_t count;
  [[maybe_unused]] const ssize_t taken = ::read(event_.get(), &count, sizeof count);
}

void Wakeup::wait() const {
  pollfd event{event_.get(), POLLIN, 0};
  while (::poll(&event, 1, -1) < 0 && errno == EINTR) {
  }
}

bool Wakeup::wait_for(std::chrono::milliseconds longest) const {
  const auto end = std::chrono::steady_clock::now() + longest;
  for (;;) {
    pollfd event{event_.get(), POLLIN, 0};
    const int ready = ::poll(&event, 1, milliseconds_until(end));
    if (ready >= 0 || errno != EINTR) return ready > 0;
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

Result<bool> wait_readable(int descriptor, std::optional<std::chrono::milliseconds> longest,
                           std::stop_token stop) {
  const Wakeup stopped = TRY(Wakeup::make());
  const std::stop_callback on_stop(stop, [&] { stopped.signal(); });
  pollfd waiting[2] = {{descriptor, POLLIN, 0}, {stopped.descriptor(), POLLIN, 0}};
  const int timeout = longest ? static_cast<int>(longest->count()) : -1;
  int ready;
  do {
    ready = ::poll(waiting, 2, timeout);
  } while (ready < 0 && errno == EINTR && !longest);
  if (stop.stop_requested()) return Error{Code::cancelled, "waiting for input was stopped"};
  return ready > 0;
}

bool is_piped(int descriptor) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0) return false;
  return S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISREG(info.st_mode);
}

bool is_hung_up(int descriptor) {
  // A hangup is told without being asked for, but for the half of a socket.
  pollfd event{descriptor, POLLRDHUP, 0};
  return ::poll(&event, 1, 0) > 0;
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

bool write_until(int descriptor, std::string_view bytes,
                 std::chrono::steady_clock::time_point end) {
  return written_until(descriptor, bytes, end) == bytes.size();
}

size_t write_what_fits(int descriptor, std::string_view bytes) {
  return written_until(descriptor, bytes, std::chrono::steady_clock::now());
}

void take_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one, since those below are taken. Not for closing on exec: a
    // program that is started would be without again.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace helve::sys
