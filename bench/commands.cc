// The least that running a command can cost, without any server around it. Prints p50_us.
//   bench_commands spawn N   posix_spawn of `sh -c true`, until it has ended
//   bench_commands shell N   a line to a bash that runs already, until it has answered
//   bench_commands drain N   bytes per second from `head -c N /dev/zero` through a pipe
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench_commands: %s\n", what);
  std::exit(1);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Child {
  pid_t pid = 0;
  int to = -1, from = -1;
};
Child start(std::vector<const char*> words, bool has_pipes) {
  words.push_back(nullptr);
  Child child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int in[2], out[2];
  if (has_pipes) {
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) fail("no pipe");
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  }
  if (posix_spawn(&child.pid, words[0], &actions, nullptr, const_cast<char**>(words.data()),
                  environ))
    fail("cannot start a program");
  posix_spawn_file_actions_destroy(&actions);
  if (has_pipes) {
    close(in[0]), close(out[1]);
    child.to = in[1], child.from = out[0];
  }
  return child;
}

template <class Once>
double median_us(size_t times, Once once) {
  std::vector<double> taken;
  for (size_t i = 0; i < times / 5; ++i) once();
  for (size_t i = 0; i < times; ++i) {
    const auto begin = Clock::now();
    once();
    taken.push_back(seconds_since(begin) * 1e6);
  }
  std::ranges::sort(taken);
  return taken[taken.size() / 2];
}

double spawn(size_t times) {
  return median_us(times, [] {
    const Child child = start({"/bin/sh", "-c", "true"}, false);
    waitpid(child.pid, nullptr, 0);
  });
}

double shell(size_t times) {
  const Child bash = start({"/bin/bash", "--norc", "--noprofile"}, true);
  const double taken = median_us(times, [&] {
    constexpr std::string_view kLine = "true; echo x\n";
    char answer[16];
    if (write(bash.to, kLine.data(), kLine.size()) < 0 ||
        read(bash.from, answer, sizeof answer) <= 0)
      fail("bash has ended");
  });
  close(bash.to);
  waitpid(bash.pid, nullptr, 0);
  return taken;
}

double drain(size_t bytes) {
  const std::string script = "head -c " + std::to_string(bytes) + " /dev/zero";
  const auto begin = Clock::now();
  const Child child = start({"/bin/sh", "-c", script.c_str()}, true);
  std::vector<char> block(1 << 20);
  size_t seen = 0;
  for (ssize_t count; (count = read(child.from, block.data(), block.size())) > 0;)
    seen += static_cast<size_t>(count);
  waitpid(child.pid, nullptr, 0);
  if (seen != bytes) fail("output is missing");
  return static_cast<double>(bytes) / seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: bench_commands spawn|shell|drain N");
  const std::string_view what = argv[1];
  const size_t number = std::strtoul(argv[2], nullptr, 10);
  std::printf("%.2f\n", what == "spawn"   ? spawn(number)
                        : what == "shell" ? shell(number)
                                          : drain(number));
}
