#include "sys/stop_signals.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "sys/file_descriptor.h"
#include "sys/stream.h"

namespace helve::sys {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Whoever started us with a signal ignored, as nohup does, wants it to stay so.
bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : kSignals) {
    if (!is_ignored(number)) sigaddset(&set, number);
  }
  return set;
}

}  // namespace

struct StopSignals::State {
  StopOptions options;
  sigset_t before;
  Fd signals;
  Wakeup finished;
  std::stop_source source = {};
  std::jthread thread = {};

  void watch() {
    int timeout = -1;
    for (;;) {
      pollfd waiting[2] = {{signals.get(), POLLIN, 0}, {finished.descriptor(), POLLIN, 0}};
      const int ready = ::poll(waiting, 2, timeout);
      if (ready < 0 && errno == EINTR) continue;
      if (waiting[1].revents != 0) return;
      if (ready == 0) ::_exit(options.late_status);
      signalfd_siginfo info{};
      if (::read(signals.get(), &info, sizeof info) != sizeof info) continue;
      if (source.stop_requested()) ::_exit(128 + static_cast<int>(info.ssi_signo));
      source.request_stop();
      if (options.on_stop) options.on_stop();
      timeout = static_cast<int>(options.grace.count());
    }
  }
};

StopSignals::StopSignals(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<StopSignals>> StopSignals::make(StopOptions options) {
  const sigset_t set = signal_set();
  Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals)
    return Error{Code::unavailable,
                 fmt::format("cannot watch for signals: {}", std::strerror(errno))};
  Wakeup finished = TRY(Wakeup::make());
  auto state = std::unique_ptr<State>(
      new State{std::move(options), {}, std::move(signals), std::move(finished)});
  if (int failed = ::pthread_sigmask(SIG_BLOCK, &set, &state->before); failed != 0) {
    return Error{Code::internal, fmt::format("cannot block signals: {}", std::strerror(failed))};
  }
  try {
    state->thread = std::jthread([state = state.get()] { state->watch(); });
  } catch (const std::system_error& error) {
    ::pthread_sigmask(SIG_SETMASK, &state->before, nullptr);
    return Error{Code::unavailable,
                 fmt::format("cannot start a thread: {}", error.code().message()),
                 "allow more processes (ulimit -u)"};
  }
  return std::unique_ptr<StopSignals>(new StopSignals(std::move(state)));
}

StopSignals::~StopSignals() {
  state_->finished.signal();
  state_->thread.join();
  // A signal that came too late must not end the process when it is let through again.
  while (state_->source.stop_requested()) {
    signalfd_siginfo info{};
    if (::read(state_->signals.get(), &info, sizeof info) != sizeof info) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

std::stop_token StopSignals::token() const { return state_->source.get_token(); }

}  // namespace helve::sys
