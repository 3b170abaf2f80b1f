// Runs one command in an enclosure, the way the keeper of a command does, and ends as it ended.
//
//   enclosed [--level NAME] [--network] [--bubblewrap] [--root DIR]… [--read-only DIR]… [--protect
//   PATH]… [--protect-file PATH]…
//            [--hide PATH]… [--home DIR] [--processes N] [--memory BYTES] [--overlay ROOT SCRATCH]
//            [--user NAME] [--group NUMBER] [--times N] -- COMMAND…
//
// --times repeats the command and says how long making the enclosure and a round take.
#include <fmt/core.h>
#include <grp.h>
#include <linux/sched.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/enclosure.h"

namespace {

using namespace helve;
using namespace helve::sandbox;
using Clock = std::chrono::steady_clock;

constexpr int kFailed = 125;

[[noreturn]] void fail(std::string_view message) {
  fmt::print(stderr, "enclosed: {}\n", message);
  _exit(kFailed);
}

struct Options {
  Policy policy;
  std::vector<Overlay> overlays;
  std::string user;
  std::vector<gid_t> groups;  // of the user, besides its own
  int times = 1;
  std::string directory;
  char** command = nullptr;
};

Level level_named(std::string_view name) {
  for (const Level level : {Level::read_only, Level::workspace_write, Level::full}) {
    if (name_of(level) == name) return level;
  }
  fail("no such level");
}

Options parse(int argc, char** argv) {
  Options options;
  char directory[4096];
  options.directory = getcwd(directory, sizeof directory) != nullptr ? directory : "/";
  Policy& policy = options.policy;
  policy.protected_names = default_protected_names();
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : ""); };
    if (name == "--") {
      options.command = argv + i + 1;
      break;
    } else if (name == "--level") {
      policy.level = level_named(value());
    } else if (name == "--network") {
      policy.network = true;
    } else if (name == "--bubblewrap") {
      policy.backend = Backend::bubblewrap;
    } else if (name == "--root") {
      policy.roots.push_back(value());
    } else if (name == "--read-only") {
      policy.read_only_roots.push_back(value());
    } else if (name == "--protect") {
      policy.protected_paths.push_back(value());
    } else if (name == "--protect-file") {
      policy.protected_files.push_back(value());
    } else if (name == "--hide") {
      policy.hidden.push_back(value());
    } else if (name == "--home") {
      policy.homes.push_back(value());
      std::ranges::move(system_secrets(), std::back_inserter(policy.hidden));
    } else if (name == "--processes") {
      policy.limits.processes = static_cast<std::uint32_t>(std::stoul(value()));
    } else if (name == "--memory") {
      policy.limits.memory_bytes = std::stoull(value());
    } else if (name == "--overlay") {
      const std::string root = value();
      policy.scratch = value();
      options.overlays.push_back({root, policy.scratch + "/upper", policy.scratch + "/work"});
    } else if (name == "--user") {
      options.user = value();
    } else if (name == "--group") {
      options.groups.push_back(static_cast<gid_t>(std::stoul(value())));
    } else if (name == "--times") {
      options.times = std::stoi(value());
    } else {
      fail(fmt::format("unknown option {}", name));
    }
  }
  if (options.command == nullptr || *options.command == nullptr) fail("no command");
  return options;
}

void become(const std::string& name, const std::vector<gid_t>& groups) {
  const passwd* user = getpwnam(name.c_str());
  if (user == nullptr || setgroups(groups.size(), groups.data()) != 0 ||
      setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) {
    fail("cannot become " + name);
  }
  // A change of user takes away the right to one's own /proc.
  prctl(PR_SET_DUMPABLE, 1);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Process 1 of the command's world: reaps whatever ends, and takes the rest along when it ends.
[[noreturn]] void keep(const Enclosure& enclosure, const Options& options) {
  if (auto prepared = enclosure.prepare(); !prepared) fail(describe(prepared.error()));
  if (auto entered = enclosure.enter(options.overlays); !entered) fail(describe(entered.error()));
  if (auto locked = enclosure.lock(); !locked) fail(describe(locked.error()));
  if (chdir(options.directory.c_str()) != 0) fail("cannot go to " + options.directory);
  const pid_t child = vfork();
  if (child == 0) {
    char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char* const environment[] = {path, nullptr};  // nothing of ours
    execvpe(options.command[0], options.command, environment);
    _exit(127);
  }
  if (child < 0) fail("cannot start the command");
  int status = 0;
  for (;;) {
    const pid_t ended = wait(&status);
    if (ended == child) break;
    if (ended < 0) fail("cannot wait for the command");
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int run(const Enclosure& enclosure, const Options& options) {
  clone_args arguments{};
  arguments.flags = static_cast<unsigned>(enclosure.clone_flags());
  arguments.exit_signal = SIGCHLD;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) keep(enclosure, options);
  if (child < 0) fail(fmt::format("cannot start a process: {}", std::strerror(errno)));
  const int status = wait_for(static_cast<pid_t>(child));
  enclosure.settle();
  return status;
}

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.user.empty()) become(options.user, options.groups);
  const auto start = Clock::now();
  auto decoded = decode(encode(options.policy));
  if (!decoded) fail(describe(decoded.error()));
  const auto enclosure = Enclosure::make(std::move(*decoded));
  if (!enclosure) fail(describe(enclosure.error()));
  const auto made = Clock::now();
  int status = 0;
  for (int round = 0; round < options.times; ++round) status = run(*enclosure, options);
  if (options.times > 1) {
    fmt::print(stderr, "made in {:.0f} us, each command {:.0f} us\n", microseconds(made - start),
               microseconds(Clock::now() - made) / options.times);
  }
  enclosure->tidy();
  return status;
}
