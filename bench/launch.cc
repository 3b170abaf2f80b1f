// Runs an agent and measures it from outside, with far less memory and work than Python needs.
// Prints: started_ns ended_ns exit_code peak_kb. Times by CLOCK_MONOTONIC; an exit code of 124
// means that the time was over. What the command left behind is ended.
//   bench_launch OUTPUT TIMEOUT_MS SAMPLE_MS COMMAND…
// With SAMPLE_MS, the memory of the whole process tree is summed that often; the peak is at least
// the resident memory of the command's own process, of which the kernel keeps the peak. With 0 only
// the latter is known and nothing disturbs the command.
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

extern char** environ;

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench_launch: %s\n", what);
  std::exit(1);
}

long now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void add_children(const char* thread, std::vector<pid_t>& found) {
  std::FILE* file = std::fopen(thread, "re");
  if (!file) return;
  for (int pid; std::fscanf(file, "%d", &pid) == 1;) found.push_back(pid);
  std::fclose(file);
}

// Orphans of the command are children of this process, so that none escapes.
std::vector<pid_t> descendants() {
  std::vector<pid_t> found;
  char path[300];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  add_children(path, found);
  for (size_t i = 0; i < found.size(); ++i) {
    std::snprintf(path, sizeof path, "/proc/%d/task", found[i]);
    DIR* tasks = opendir(path);
    if (!tasks) continue;
    while (const dirent* entry = readdir(tasks)) {
      if (entry->d_name[0] == '.') continue;
      std::snprintf(path, sizeof path, "/proc/%d/task/%s/children", found[i], entry->d_name);
      add_children(path, found);
    }
    closedir(tasks);
  }
  return found;
}

// What a process shares with others is divided among them. Of a process that hides its pages, all
// that are resident.
long memory_kb(pid_t pid) {
  char path[64], line[256];
  long kb = 0, size = 0;
  std::snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
  if (std::FILE* file = std::fopen(path, "re")) {
    while (!kb && std::fgets(line, sizeof line, file)) std::sscanf(line, "Pss: %ld", &kb);
    std::fclose(file);
  }
  if (kb) return kb;
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid);
  if (std::FILE* file = std::fopen(path, "re")) {
    if (std::fscanf(file, "%ld %ld", &size, &kb) == 2) kb *= sysconf(_SC_PAGESIZE) / 1024;
    std::fclose(file);
  }
  return kb;
}

long tree_kb() {
  long sum = 0;
  for (const pid_t pid : descendants()) sum += memory_kb(pid);
  return sum;
}

pid_t start(char** command, const char* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid;
  if (posix_spawnp(&pid, command[0], &actions, &attributes, command, environ))
    fail("cannot start the command");
  return pid;
}

void end_the_rest() {
  for (std::vector<pid_t> rest; !(rest = descendants()).empty();) {
    for (const pid_t pid : rest) kill(pid, SIGKILL);
    if (waitpid(-1, nullptr, 0) < 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: bench_launch OUTPUT TIMEOUT_MS SAMPLE_MS COMMAND…");
  const long timeout_ns = std::atol(argv[2]) * 1'000'000,
             sample_ns = std::atol(argv[3]) * 1'000'000;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);

  const long started_ns = now_ns();
  const pid_t root = start(argv + 4, argv[1]);
  long ended_ns = 0, peak_kb = 0, last_kb = 0;
  int code = 124;
  while (!ended_ns && now_ns() - started_ns < timeout_ns) {
    const long wait_ns = sample_ns ? sample_ns : timeout_ns;
    const timespec wait{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    sigtimedwait(&child_signal, nullptr, &wait);
    rusage usage;
    int status;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      if (pid != root) continue;
      ended_ns = now_ns();
      code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      peak_kb = std::max(peak_kb, usage.ru_maxrss);
    }
    if (!sample_ns || ended_ns) continue;
    // A sum counts only if the next is as large: a child that has not yet become another program
    // is seen with the memory of its parent.
    const long sum_kb = tree_kb();
    peak_kb = std::max(peak_kb, std::min(sum_kb, last_kb));
    last_kb = sum_kb;
  }
  end_the_rest();
  std::printf("%ld %ld %d %ld\n", started_ns, ended_ns ? ended_ns : now_ns(), code, peak_kb);
}
