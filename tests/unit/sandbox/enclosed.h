// Runs functions inside an enclosure, the way the keeper of a command does, in a process that is
// thrown away.
#pragma once

#include <errno.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/enclosure.h"

namespace helve::sandbox {

constexpr int kBroken = 99;  // the sandbox itself failed
constexpr uid_t kNobody = 65534;
constexpr gid_t kOtherGroup = 54321;
#ifdef __SANITIZE_THREAD__
constexpr bool kHasThreads = true;  // the sanitizer's own
#else
constexpr bool kHasThreads = false;
#endif
constexpr const char* kOneThread = "only a process of one thread can make a user namespace";

using Inside = std::function<int()>;

// Waits and returns the exit code, or 128 and the signal.
inline int wait_for(long child) {
  int status = 0;
  while (waitpid(static_cast<pid_t>(child), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline int shell(const std::string& command) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  return wait_for(child);
}

using Step = std::function<Result<void>()>;

// One command: returns what `inside` returns. `around` may enter under conditions of its own.
inline int run_in(
    const Enclosure& enclosure, const Inside& inside, std::span<const Overlay> overlays = {},
    const std::function<Result<void>(const Step&)>& around = [](const Step& enter) {
      return enter();
    }) {
  clone_args arguments{};
  arguments.flags = static_cast<unsigned>(enclosure.clone_flags());
  arguments.exit_signal = SIGCHLD;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    const Step enter = [&] { return enclosure.enter(overlays); };
    for (const auto& step : {enclosure.prepare(), around(enter), enclosure.lock()}) {
      if (step) continue;
      std::fprintf(stderr, "%s\n", describe(step.error()).c_str());
      _exit(kBroken);
    }
    _exit(inside());
  }
  const int status = wait_for(child);
  enclosure.settle();
  return status;
}

// In a world of files below a directory that no private directory of the sandbox covers, as root
// and as an ordinary user.
class InEnclosure : public testing::TestWithParam<uid_t> {
 protected:
  void SetUp() override {
    if (geteuid() != 0 && GetParam() != geteuid()) GTEST_SKIP() << "needs root";
    if (kHasThreads && GetParam() != 0) GTEST_SKIP() << kOneThread;
    std::string name = "/var/lib/helve-test-XXXXXX";
    if (geteuid() != 0) name = std::string(getenv("HOME")) + "/.helve-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base = std::filesystem::canonical(name);
    chmod(base.c_str(), 0755);
    make_directory("root");
    policy.roots = {path("root")};
    policy.protected_names = default_protected_names();
  }
  void TearDown() override {
    if (!base.empty()) std::filesystem::remove_all(base);
  }

  std::string path(const std::string& name) const { return base + "/" + name; }
  // Gives all of it to the user.
  void own() {
    if (geteuid() == GetParam()) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base)) {
      (void)!lchown(entry.path().c_str(), GetParam(), kNobody);
    }
    (void)!chown(base.c_str(), GetParam(), kNobody);
  }
  void make_directory(const std::string& name) {
    std::filesystem::create_directories(path(name));
    own();
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    own();
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(path(name)));
  }
  void repository(const std::string& name) {
    for (const char* directory : {"objects", "refs", "hooks", "info"}) {
      make_directory(name + "/" + directory);
    }
    write(name + "/HEAD", "ref: refs/heads/main\n");
    write(name + "/config", "[core]\n\tbare = false\n");
  }

  // `work` gets the enclosure, in a process of the user; what it returns is returned. It may ask
  // the host, which is the test itself, to do what `host` does.
  using Ask = std::function<void()>;
  int with_enclosure(
      const std::function<int(Enclosure&, const Ask&)>& work,
      const std::function<void()>& host = [] {}) {
    int asked[2], done[2];
    EXPECT_EQ(pipe(asked) | pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(asked[0]);
      close(done[1]);
      char byte = 0;
      const Ask ask = [&] { (void)!(::write(asked[1], &byte, 1) + ::read(done[0], &byte, 1)); };
      _exit(work_as_user(work, ask));
    }
    close(asked[1]);
    close(done[0]);
    for (char byte = 0; ::read(asked[0], &byte, 1) == 1;) {
      host();
      EXPECT_EQ(::write(done[1], &byte, 1), 1);
    }
    close(asked[0]);
    close(done[1]);
    return wait_for(child);
  }
  int run(const Inside& inside) {
    return with_enclosure(
        [&](Enclosure& enclosure, const Ask&) { return run_in(enclosure, inside); });
  }
  // Runs a shell command; $ROOT is the root, $BASE its parent.
  int sh(const std::string& command) {
    return run([&] { return shell(variables() + command); });
  }
  std::string variables() const {
    return "exec 2>/dev/null; BASE='" + base + "' ROOT='" + path("root") + "'; cd $ROOT; ";
  }

  // One that the user can be in besides its own.
  std::optional<gid_t> other_group() const {
    if (geteuid() == 0) return kOtherGroup;
    std::vector<gid_t> all(static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
    if (getgroups(static_cast<int>(all.size()), all.data()) < 0) return std::nullopt;
    const auto found = std::ranges::find_if(all, [](gid_t each) { return each != getegid(); });
    return found == all.end() ? std::nullopt : std::optional(*found);
  }

  Policy policy;
  std::string base;
  std::vector<gid_t> groups;                    // of the user, besides its own
  std::function<void()> before_making = [] {};  // in the process that makes the enclosure

 private:
  int work_as_user(const std::function<int(Enclosure&, const Ask&)>& work, const Ask& ask) {
    if (geteuid() != GetParam()) {
      if (setgroups(groups.size(), groups.data()) != 0 || setgid(kNobody) != 0 ||
          setuid(GetParam()) != 0)
        return 98;
      // A change of user takes away the right to one's own /proc.
      prctl(PR_SET_DUMPABLE, 1);
    }
    before_making();
    auto enclosure = Enclosure::make(policy);
    if (!enclosure) {
      std::fprintf(stderr, "%s\n", describe(enclosure.error()).c_str());
      return kBroken;
    }
    const int status = work(*enclosure, ask);
    enclosure->tidy();
    return status;
  }
};

inline std::vector<uid_t> users() {
  if (geteuid() == 0) return {0, kNobody};
  return {geteuid()};
}

inline std::string user_name(const testing::TestParamInfo<uid_t>& info) {
  return info.param == 0 ? "AsRoot" : "AsOrdinaryUser";
}

}  // namespace helve::sandbox
