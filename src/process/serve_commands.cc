// The helper program's own loop.
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/keeper.h"
#include "process/messages.h"
#include "process/protocol.h"

namespace helve::process {
namespace {

void tell_failure(int socket, std::string_view text) {
  text = text.substr(0, kMaxEventText);
  const Event event{.kind = Event::Kind::failed,
                    .step = Step::sandbox,
                    .text = static_cast<std::uint32_t>(text.size())};
  send_message(socket, std::string(as_bytes(event)).append(text));
}

// Like fork, but the new process may be the first one of a new process namespace.
pid_t fork_into(int flags) {
  return static_cast<pid_t>(syscall(SYS_clone, static_cast<unsigned long>(flags) | SIGCHLD, nullptr,
                                    nullptr, nullptr, 0));
}

void make_keeper(std::vector<sys::Fd> descriptors, const sandbox::Enclosure& enclosure) {
  if (descriptors.size() < kFirstDescriptors) return;
  const pid_t pid = fork_into(enclosure.clone_flags());
  if (pid == 0) keep(enclosure, std::move(descriptors));
  if (pid > 0) return;
  const Event failed{.kind = Event::Kind::failed, .step = Step::process, .code = errno};
  send_message(descriptors[0].get(), as_bytes(failed));
}

// Until helve is gone.
void serve(int socket, const sandbox::Enclosure& enclosure) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  const sys::Fd ended(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  while (true) {
    pollfd events[] = {{socket, POLLIN, 0}, {ended.get(), POLLIN, 0}};
    if (poll(events, std::size(events), -1) < 0) continue;
    if (events[1].revents) {
      signalfd_siginfo info;
      while (read(ended.get(), &info, sizeof info) > 0) {
      }
      while (waitpid(-1, nullptr, WNOHANG) > 0) enclosure.settle();
    }
    if (!events[0].revents) continue;
    Message request = receive_message(socket, 1);
    if (request.bytes.empty()) return;
    make_keeper(std::move(request.descriptors), enclosure);
  }
}

}  // namespace

int serve_commands(int socket) {
  signal(SIGPIPE, SIG_IGN);
  // Only helve decides when we end; it may share a terminal with us.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) signal(number, SIG_IGN);
  const Message first = receive_message(socket, kMaxPolicyBytes);
  Result<sandbox::Policy> policy = sandbox::decode(first.bytes);
  if (!policy) return EXIT_FAILURE;
  const Result<sandbox::Enclosure> enclosure = sandbox::Enclosure::make(std::move(*policy));
  if (!enclosure) {
    tell_failure(socket, describe(enclosure.error()));
    return EXIT_FAILURE;
  }
  const sandbox::Holds holds = enclosure->holds();
  const Event ready{.kind = Event::Kind::ready, .text = sizeof holds};
  if (send_message(socket, std::string(as_bytes(ready)).append(as_bytes(holds))))
    serve(socket, *enclosure);
  // The keepers know by themselves that helve is gone.
  while (wait(nullptr) > 0 || errno == EINTR) {
  }
  enclosure->tidy();
  return EXIT_SUCCESS;
}

}  // namespace helve::process
