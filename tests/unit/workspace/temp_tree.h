// What tests about files share: a directory that goes away, and a child process to do harm in.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// A new directory with a tree of its own; removed in the end whatever its modes are.
class TempTree {
 public:
  TempTree();
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  const std::string& path() const { return path_; }
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

  void directory(std::string_view name) const;                             // with its parents
  void file(std::string_view name, std::string_view content = "x") const;  // with its parents
  void link(std::string_view name, const std::string& target) const;
  std::string content(std::string_view name) const;  // "(none)" when there is no such file
  bool exists(std::string_view name) const;          // a link counts, wherever it leads
  std::vector<std::string> names(
      std::string_view directory = ".") const;  // sorted, hidden ones too

 private:
  std::string path_;
};

// What a forked process returns from `work`: empty when all is well. "skip: …" asks to skip the
// test.
std::string in_child(const std::function<std::string()>& work);

// For use in a child only.
void become_nobody();
// Empty, or why there can be none.
std::string mount_tmpfs(const std::string& where, const std::string& options);
std::string remount_read_only(const std::string& where);
// From now on this system call fails with `error`, unless its first argument is 0, 1 or 2.
std::string make_fail(long system_call, int error);

inline TempTree::TempTree() {
  char name[] = "/tmp/helve-test-XXXXXX";
  if (!::mkdtemp(name)) ADD_FAILURE() << std::strerror(errno);
  path_ = name;
}

inline TempTree::~TempTree() {
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator it(path_, ignored), end; it != end;
       it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      std::filesystem::permissions(it->path(), std::filesystem::perms::owner_all,
                                   std::filesystem::perm_options::add, ignored);
    }
  }
  std::filesystem::remove_all(path_, ignored);
}

inline void TempTree::directory(std::string_view name) const {
  std::filesystem::create_directories(path(name));
}

inline void TempTree::file(std::string_view name, std::string_view content) const {
  std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << content;
}

inline void TempTree::link(std::string_view name, const std::string& target) const {
  if (::symlink(target.c_str(), path(name).c_str()) != 0) ADD_FAILURE() << std::strerror(errno);
}

inline std::string TempTree::content(std::string_view name) const {
  std::ifstream in(path(name), std::ios::binary);
  if (!in) return "(none)";
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline bool TempTree::exists(std::string_view name) const {
  struct stat ignored;
  return ::lstat(path(name).c_str(), &ignored) == 0;
}

inline std::vector<std::string> TempTree::names(std::string_view directory) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path(directory))) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string in_child(const std::function<std::string()>& work) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string outcome = work();
    // Not write(), which the work may have made fail.
    const iovec part{const_cast<char*>(outcome.data()), outcome.size()};
    (void)!::writev(pipe_ends[1], &part, 1);
    ::_exit(0);
  }
  ::close(pipe_ends[1]);
  std::string outcome;
  char buffer[4096];
  for (ssize_t got; (got = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.append(buffer, static_cast<size_t>(got));
  }
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) outcome += " (the child ended with status " + std::to_string(status) + ")";
  return outcome;
}

inline void become_nobody() {
  constexpr unsigned kNobody = 65534;
  if (::geteuid() != 0) return;
  if (::setegid(kNobody) != 0 || ::seteuid(kNobody) != 0) ::_exit(1);
}

inline std::string mount_tmpfs(const std::string& where, const std::string& options) {
  const int user = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  if (::unshare(CLONE_NEWNS | user) != 0) {
    return std::string("skip: no private mounts here: ") + std::strerror(errno);
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", where.c_str(), "tmpfs", 0, options.c_str()) != 0) {
    return std::string("skip: no tmpfs here: ") + std::strerror(errno);
  }
  return "";
}

inline std::string remount_read_only(const std::string& where) {
  if (::mount("none", where.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0) return "";
  return std::string("skip: cannot remount: ") + std::strerror(errno);
}

inline std::string make_fail(long system_call, int error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return std::string("skip: no system call filter here: ") + std::strerror(errno);
  }
  return "";
}

}  // namespace helve

// Reports what a child returned.
#define EXPECT_CHILD_OK(...)                                      \
  do {                                                            \
    const std::string outcome_ = ::helve::in_child(__VA_ARGS__);  \
    if (outcome_.starts_with("skip: ")) GTEST_SKIP() << outcome_; \
    EXPECT_EQ(outcome_, "");                                      \
  } while (false)
