#include "sandbox/bubblewrap.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <vector>

#include "sandbox/failure.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {
namespace {

constexpr auto kPrograms = std::to_array<const char*>({"/usr/bin/bwrap", "/usr/local/bin/bwrap"});
constexpr int kPatience = 10'000;     // milliseconds for bwrap to make its namespaces
constexpr size_t kMaxInfo = 4096;     // bytes of what it tells
constexpr int kInfoDescriptor = 3;    // in bwrap
constexpr int kHolderDescriptor = 0;  // closing our end of it lets the holder go
constexpr int kSpeechDescriptor = 1;

constexpr const char* kHint = "`bwrap --unshare-user --dev-bind / / true` shows why";

struct Pipe {
  sys::Fd reading;
  sys::Fd writing;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure("make a pipe", errno);
  return Pipe{sys::Fd(ends[0]), sys::Fd(ends[1])};
}

std::vector<std::string> arguments_for(const std::string& program, bool own_network) {
  std::vector<std::string> arguments{program,
                                     "--unshare-user",
                                     "--unshare-ipc",
                                     "--unshare-uts",
                                     "--unshare-cgroup",
                                     "--dev-bind",
                                     "/",
                                     "/",
                                     "--die-with-parent",
                                     "--info-fd",
                                     std::to_string(kInfoDescriptor)};
  if (own_network) arguments.emplace_back("--unshare-net");
  // It speaks when everything is in place, and stays as long as we hold it.
  arguments.insert(arguments.end(), {"--", "/bin/sh", "-c", "echo }; exec cat >/dev/null"});
  return arguments;
}

// Starts bwrap with a program in it that does nothing until `held` is closed.
Result<pid_t> start(const std::vector<std::string>& arguments, const sys::Fd& held,
                    const sys::Fd& info) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  char* const environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Above the numbers that are assigned, so that none is overwritten before it is used.
  const sys::Fd held_copy(fcntl(held.get(), F_DUPFD_CLOEXEC, 10));
  const sys::Fd info_copy(fcntl(info.get(), F_DUPFD_CLOEXEC, 10));
  posix_spawn_file_actions_adddup2(&actions, held_copy.get(), kHolderDescriptor);
  posix_spawn_file_actions_adddup2(&actions, info_copy.get(), kSpeechDescriptor);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, info_copy.get(), kInfoDescriptor);
  pid_t child = -1;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return failure("start " + arguments[0], failed);
  return child;
}

// {"child-pid": 123, …} from bwrap, and another brace from the process inside when it runs.
std::optional<pid_t> process_inside(const sys::Fd& info) {
  std::string text;
  char buffer[512];
  pollfd waiting{info.get(), POLLIN, 0};
  while (std::ranges::count(text, '}') < 2 && text.size() < kMaxInfo) {
    if (poll(&waiting, 1, kPatience) <= 0) return std::nullopt;
    const ssize_t count = read(info.get(), buffer, sizeof buffer);
    if (count <= 0) return std::nullopt;
    text.append(buffer, static_cast<size_t>(count));
  }
  constexpr std::string_view kKey = "\"child-pid\":";
  const size_t key = text.find(kKey);
  if (key == text.npos) return std::nullopt;
  const size_t digits = text.find_first_of("0123456789", key + kKey.size());
  pid_t pid = 0;
  if (digits == text.npos ||
      std::from_chars(text.data() + digits, text.data() + text.size(), pid).ec != std::errc{}) {
    return std::nullopt;
  }
  return pid;
}

Result<void> join(pid_t process, bool own_network) {
  std::vector<std::pair<const char*, int>> kinds{{"user", CLONE_NEWUSER},
                                                 {"mnt", CLONE_NEWNS},
                                                 {"ipc", CLONE_NEWIPC},
                                                 {"uts", CLONE_NEWUTS},
                                                 {"cgroup", CLONE_NEWCGROUP}};
  if (own_network) kinds.emplace_back("net", CLONE_NEWNET);
  std::vector<sys::Fd> spaces;
  for (const auto& [name, flag] : kinds) {
    const std::string path = fmt::format("/proc/{}/ns/{}", process, name);
    spaces.emplace_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!spaces.back()) return failure("open " + path, errno, kHint);
  }
  // The user namespace comes first: it gives the right to the others.
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (setns(spaces[i].get(), kinds[i].second) != 0) {
      return failure(fmt::format("join the {} namespace of bwrap", kinds[i].first), errno, kHint);
    }
  }
  return {};
}

}  // namespace

std::string find_bubblewrap() {
  for (const char* program : kPrograms) {
    if (access(program, X_OK) == 0) return program;
  }
  return {};
}

Result<void> join_bubblewrap(const std::string& program, bool own_network) {
  Pipe holder = TRY(make_pipe());
  Pipe info = TRY(make_pipe());
  const pid_t child = TRY(start(arguments_for(program, own_network), holder.reading, info.writing));
  info.writing = sys::Fd();
  const auto inside = process_inside(info.reading);
  Result<void> joined = inside ? join(*inside, own_network)
                               : Result<void>(failure("make namespaces with bwrap", EPERM, kHint));
  holder.writing = sys::Fd();
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return joined;
}

}  // namespace helve::sandbox
