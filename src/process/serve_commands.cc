// The helper program's own loop.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "process/descendants.h"
#include "process/keeper.h"
#include "process/messages.h"
#include "process/protocol.h"
#include "process/unconfined.h"

namespace helve::process {
namespace {

void tell_failure(int socket, const Error& error) {
  const Unconfined why = unconfined(error);
  const Event event{.kind = Event::Kind::failed,
                    .step = why.step,
                    .text = static_cast<std::uint32_t>(why.text.size())};
  send_message(socket, std::string(as_bytes(event)).append(why.text));
}

// Like fork, but the new process may be the first one of a new process namespace.
pid_t fork_into(int flags) {
  return static_cast<pid_t>(syscall(SYS_clone, static_cast<unsigned long>(flags) | SIGCHLD, nullptr,
                                    nullptr, nullptr, 0));
}

// Always has one keeper waiting for the next command: making one takes longer than all the rest.
class Server {
 public:
  Server(int socket, const sandbox::Enclosure& enclosure)
      : socket_(socket), enclosure_(enclosure) {}

  // Until helve is gone and every command has ended.
  void run() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    taken_ = sys::Fd(ends[0]);
    taking_ = sys::Fd(ends[1]);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    ended_ = sys::Fd(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    // What a keeper leaves that was killed becomes ours.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    while (is_wanted_) {
      if (waiting_ <= 0) (void)make_keeper();
      wait_for_change();
    }
    // The keepers know by themselves that helve is gone.
    for (pollfd event{ended_.get(), POLLIN, 0}; reap();) poll(&event, 1, -1);
  }

 private:
  // 0, or why there is none.
  int make_keeper() {
    waiting_ = fork_into(enclosure_.clone_flags());
    if (waiting_ == 0) {
      taken_ = sys::Fd();  // only we read there, so that it knows whether we still live
      keep(enclosure_, ground_, socket_, taking_.get());
    }
    if (waiting_ < 0) return errno;
    keepers_.insert(waiting_);
    return 0;
  }

  // The next command, since nobody can keep it.
  void refuse(int reason) {
    const Message request = receive_message(socket_, 1);
    is_wanted_ = !request.bytes.empty();
    const Event failed{.kind = Event::Kind::failed, .step = Step::process, .code = reason};
    if (!request.descriptors.empty())
      send_message(request.descriptors.front().get(), as_bytes(failed));
  }

  void wait_for_change() {
    // A command that comes while nobody waits for it is reason to try again.
    const int requests = waiting_ > 0 ? -1 : socket_;
    pollfd events[] = {{taken_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}, {requests, POLLIN, 0}};
    if (poll(events, std::size(events), -1) < 0) return;
    char byte;
    if (events[0].revents && read(taken_.get(), &byte, 1) == 1)
      has_been_taken();
    else if (events[1].revents)
      reap();
    else if (events[2].revents) {
      if (const int reason = make_keeper()) refuse(reason);
    }
  }

  void has_been_taken() {
    waiting_ = -1;
    // What cannot be protected, each command finds out by itself, and does not run.
    if (!std::exchange(is_used_, true)) return (void)enclosure_.protect_ahead();
    // Not for the first, which may be the only one: the kernel takes milliseconds to forget a
    // watch.
    if (ground_.is_worn()) (void)enclosure_.lay(ground_);
  }

  // False: there are no more.
  bool reap() {
    signalfd_siginfo info;
    while (read(ended_.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    bool has_orphans = false;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      const bool was_keeper = keepers_.erase(pid) > 0;
      has_orphans |= !was_keeper || WIFSIGNALED(status);
      if (was_keeper) enclosure_.settle();
      if (pid != waiting_) continue;
      char byte;  // it may have taken a command before
      const bool is_taken = read(taken_.get(), &byte, 1) == 1;
      is_wanted_ = status != 0 || is_taken;
      waiting_ = -1;
    }
    if (has_orphans) end_orphans();
    return pid == 0;
  }

  // What they started becomes ours in turn, which we notice by their end.
  void end_orphans() const {
    if (enclosure_.clone_flags() & CLONE_NEWPID) return;  // the kernel has ended them
    for (const pid_t orphan : children_of(getpid())) {
      if (keepers_.contains(orphan)) continue;
      for (const pid_t pid : descendants_of(orphan)) kill(pid, SIGKILL);
      kill(orphan, SIGKILL);
    }
  }

  const int socket_;
  const sandbox::Enclosure& enclosure_;
  sandbox::Groundwork ground_;
  sys::Fd taken_, taking_;  // a byte for each command that a keeper has taken
  sys::Fd ended_;
  pid_t waiting_ = -1;  // the keeper without a command; none: it must be made
  std::set<pid_t> keepers_;
  bool is_used_ = false;
  bool is_wanted_ = true;
};

}  // namespace

int serve_commands(int socket) {
  // Only helve decides when we end; it may share a terminal with us.
  for (const int number : kIgnored) signal(number, SIG_IGN);
  const Message first = receive_message(socket, kMaxPolicyBytes);
  Result<sandbox::Policy> policy = sandbox::decode(first.bytes);
  if (!policy) return EXIT_FAILURE;
  const Result<sandbox::Enclosure> enclosure = sandbox::Enclosure::make(std::move(*policy));
  if (!enclosure) {
    tell_failure(socket, enclosure.error());
    return EXIT_FAILURE;
  }
  const sandbox::Holds holds = enclosure->holds();
  const Event ready{.kind = Event::Kind::ready, .text = sizeof holds};
  if (send_message(socket, std::string(as_bytes(ready)).append(as_bytes(holds))))
    Server(socket, *enclosure).run();
  enclosure->tidy();
  return EXIT_SUCCESS;
}

}  // namespace helve::process
