#include "sandbox/enclosure.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "unit/sandbox/enclosed.h"

namespace helve::sandbox {
namespace {

class EnclosureFiles : public InEnclosure {};
class EnclosureNetwork : public InEnclosure {};
class EnclosureLimits : public InEnclosure {};
INSTANTIATE_TEST_SUITE_P(Users, EnclosureFiles, testing::ValuesIn(users()), user_name);
INSTANTIATE_TEST_SUITE_P(Users, EnclosureNetwork, testing::ValuesIn(users()), user_name);
INSTANTIATE_TEST_SUITE_P(Users, EnclosureLimits, testing::ValuesIn(users()), user_name);

// The process becomes the only user of a user namespace, with all capabilities there, as root in a
// container.
void enter_container() {
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  // What comes next would otherwise be done to the machine.
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(kBroken);
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
  std::ofstream("/proc/self/gid_map") << group << " " << group << " 1";
}

TEST_P(EnclosureFiles, WritesInTheRoot) {
  EXPECT_EQ(sh("mkdir sub && echo text > sub/file && mv sub moved && rm -r moved && echo x > kept"),
            0);
  EXPECT_EQ(read("root/kept"), "x\n");
}

TEST_P(EnclosureFiles, WritesNowhereElse) {
  make_directory("beside");
  EXPECT_NE(sh("echo x > $BASE/beside/file"), 0);
  EXPECT_FALSE(exists("beside/file"));
}

TEST_P(EnclosureFiles, WritesNoRootAtTheReadOnlyLevel) {
  write("root/file", "old");
  policy.level = Level::read_only;
  EXPECT_NE(sh("echo new > file"), 0);
  EXPECT_EQ(sh("echo new > /tmp/file && cat file"), 0);
  EXPECT_EQ(read("root/file"), "old");
}

TEST_P(EnclosureFiles, LeavesASiblingWithTheSamePrefixAlone) {
  make_directory("root-evil");
  EXPECT_NE(sh("echo x > $BASE/root-evil/file"), 0);
}

TEST_P(EnclosureFiles, KeepsTemporaryFilesBetweenCommandsButNotForTheHost) {
  const std::string name = "/tmp/helve-unit-" + std::to_string(getpid());
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    run_in(enclosure, [&] { return shell("echo x > " + name); });
    return run_in(enclosure, [&] { return shell("test -s " + name); });
  });
  EXPECT_EQ(status, 0);
  EXPECT_NE(access(name.c_str(), F_OK), 0);
}

TEST_P(EnclosureFiles, WritesInARootBelowTheTemporaryDirectory) {
  std::string name = "/tmp/helve-unit-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  std::filesystem::create_directories(name + "/deep/root");
  for (const char* part : {"", "/deep", "/deep/root"}) {
    ASSERT_EQ(chown((name + part).c_str(), GetParam(), static_cast<gid_t>(-1)), 0);
  }
  policy.roots = {name + "/deep/root"};
  EXPECT_EQ(run([&] { return shell("echo x > " + name + "/deep/root/file"); }), 0);
  EXPECT_NE(run([&] { return shell("mv " + name + "/deep " + name + "/moved 2>/dev/null"); }), 0);
  EXPECT_NE(run([&] { return shell("mv " + name + " /tmp/moved 2>/dev/null"); }), 0);
  EXPECT_TRUE(std::filesystem::exists(name + "/deep/root/file"));
  std::filesystem::remove_all(name);
}

TEST_P(EnclosureFiles, WritesInEveryRootAndNotInAReadOnlyOneWithin) {
  make_directory("second");
  make_directory("root/vendor/lib");
  policy.roots.push_back(path("second"));
  policy.read_only_roots = {path("root/vendor/lib")};
  EXPECT_EQ(sh("echo x > $BASE/second/file && echo x > vendor/file"), 0);
  EXPECT_NE(sh("echo x > vendor/lib/file"), 0);
  EXPECT_NE(sh("mv vendor other"), 0);
}

TEST_P(EnclosureFiles, HidesSecrets) {
  write("home/.token", "x");
  write("home/.keys/key", "x");
  policy.hidden = {path("home/.token"), path("home/.keys")};
  EXPECT_NE(sh("cat $BASE/home/.token"), 0);
  EXPECT_NE(sh("cat $BASE/home/.keys/key"), 0);
  EXPECT_NE(sh("ls $BASE/home/.keys"), 0);
}

TEST_P(EnclosureFiles, HidesWhatAppearsOrIsReplacedBetweenCommands) {
  write("home/.old", "x");
  std::filesystem::create_directory_symlink(path("later"), path("home/link"));
  std::filesystem::create_directory_symlink(path("gone"), path("home/.keys"));
  policy.hidden = {path("home/.old"), path("home/.new"), path("home/dir/.deep"),
                   path("home/link/.key"), path("home/.keys")};
  const auto look = [&] {
    return shell(variables() +
                 "cat $BASE/home/.old || cat $BASE/home/.new || ls $BASE/home/dir/.deep ||"
                 " cat $BASE/later/.key || cat $BASE/gone/key");
  };
  const int found = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        ask();
        return run_in(enclosure, look);
      },
      [&] {
        write("home/.old.lock", "y");
        std::filesystem::rename(path("home/.old.lock"), path("home/.old"));
        write("home/.new", "y");
        make_directory("home/dir/.deep");
        write("later/.key", "y");
        write("gone/key", "y");
      });
  EXPECT_NE(found, 0);
  EXPECT_NE(found, kBroken);
}

TEST_P(EnclosureFiles, HidesWhatALinkLeadsTo) {
  write("elsewhere/key", "x");
  make_directory("home");
  std::filesystem::create_directory_symlink(path("elsewhere"), path("home/.keys"));
  policy.hidden = {path("home/.keys")};
  EXPECT_NE(sh("cat $BASE/elsewhere/key"), 0);
}

TEST_P(EnclosureFiles, ShowsNothingOfTheKernelThatOnlyRootMayRead) {
  EXPECT_EQ(sh("! find /proc -maxdepth 1 -type f -perm 0400 -readable -exec head -c 1 {} \\; |"
               " grep -q ."),
            0);
}

TEST_P(EnclosureFiles, HidesSecretsWhereverTheirFileSystemIsMounted) {
  if (kHasThreads) GTEST_SKIP() << kOneThread;
  write("home/.token", "x");
  write("home/.keys/deep/key", "x");
  make_directory("mirror");
  make_directory("part");
  before_making = [&] {
    enter_container();
    ASSERT_EQ(mount(path("home").c_str(), path("mirror").c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(
        mount(path("home/.keys/deep").c_str(), path("part").c_str(), nullptr, MS_BIND, nullptr), 0);
  };
  policy.hidden = {path("home/.token"), path("home/.keys")};
  EXPECT_NE(sh("cat $BASE/mirror/.token"), 0);
  EXPECT_NE(sh("cat $BASE/mirror/.keys/deep/key"), 0);
  EXPECT_NE(sh("cat $BASE/part/key"), 0);
  EXPECT_EQ(sh("ls $BASE/mirror"), 0);
}

TEST_P(EnclosureFiles, RefusesARootThatIsHidden) {
  policy.hidden = {base};
  EXPECT_EQ(sh("true"), kBroken);
}

TEST_P(EnclosureFiles, RefusesARootThatIsALink) {
  std::filesystem::create_directory_symlink(path("root"), path("link"));
  policy.roots = {path("link")};
  EXPECT_EQ(sh("true"), kBroken);
}

TEST_P(EnclosureFiles, PutsChangesOfAnOverlayElsewhere) {
  write("root/kept", "old");
  write("root/deleted", "old");
  make_directory("scratch/upper");
  make_directory("scratch/work");
  policy.scratch = path("scratch");
  const Overlay overlay{path("root"), path("scratch/upper"), path("scratch/work")};
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    return run_in(
        enclosure,
        [&] {
          return shell(
              variables() +
              "echo new > kept && rm deleted && mkdir -p made/deep && echo x > made/deep/file "
              "&& test ! -e deleted && ! echo x > .git/hooks && ! mkdir .helve/x");
        },
        {&overlay, 1});
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read("root/kept"), "old");
  EXPECT_EQ(read("root/deleted"), "old");
  EXPECT_FALSE(exists("root/made"));
  EXPECT_FALSE(exists("scratch/upper/.helve"));
  EXPECT_EQ(read("scratch/upper/kept"), "new\n");
  EXPECT_EQ(read("scratch/upper/made/deep/file"), "x\n");
  struct stat status_of {};
  ASSERT_EQ(lstat(path("scratch/upper/deleted").c_str(), &status_of), 0);
  EXPECT_TRUE(S_ISCHR(status_of.st_mode));
  // The kernel closes its own directories, and only root removes them as they are.
  for (const char* name : {"", "/incompat", "/incompat/volatile"})
    chmod((path("scratch/work/work") + name).c_str(), 0700);
}

TEST_P(EnclosureFiles, KeepsTheChangesOfOverlaysFromCommands) {
  write("scratch/upper/secret", "x");
  policy.scratch = path("scratch");
  policy.hidden = {path("scratch")};
  EXPECT_NE(sh("ls /run/helve/kept/scratch || cat $BASE/scratch/upper/secret"), 0);
}

TEST_P(EnclosureFiles, RunsWithoutAWallAtTheFullLevel) {
  policy.level = Level::full;
  make_directory("beside");
  EXPECT_EQ(sh("echo x > $BASE/beside/file"), 0);
  EXPECT_TRUE(exists("beside/file"));
}

// As the filter of a container does.
void deny(long call) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST_P(EnclosureFiles, RunsNothingWhereNamespacesAreForbidden) {
  before_making = [] { deny(SYS_unshare); };
  policy.backend = Backend::own;
  EXPECT_EQ(sh("echo x > file"), kBroken);
  EXPECT_FALSE(exists("root/file"));
}

TEST_P(EnclosureFiles, RunsNothingWhereMountsCannotBeMadeReadOnly) {
  before_making = [] { deny(SYS_mount_setattr); };
  EXPECT_EQ(sh("echo x > file"), kBroken);
  EXPECT_FALSE(exists("root/file"));
}

TEST_P(EnclosureFiles, RunsNothingWhereNoFilterCanBeInstalled) {
  before_making = [] { deny(SYS_seccomp); };
  EXPECT_EQ(sh("echo x > file"), kBroken);
  EXPECT_FALSE(exists("root/file"));
}

TEST_P(EnclosureFiles, UsesTheNamespacesOfBubblewrapWhereOursAreForbidden) {
  if (kHasThreads) GTEST_SKIP() << kOneThread;
  // bwrap itself makes them by clone.
  before_making = [] { deny(SYS_unshare); };
  make_directory("beside");
  EXPECT_EQ(sh("echo x > file && ! echo x > $BASE/beside/file && ! echo x > .git/config"), 0);
  EXPECT_TRUE(exists("root/file"));
}

TEST_P(EnclosureFiles, HoldsForRootWithoutAUserNamespace) {
  if (kHasThreads) GTEST_SKIP() << kOneThread;
  before_making = [] {
    enter_container();
    std::ofstream("/proc/sys/user/max_user_namespaces") << "0";
  };
  policy.backend = Backend::own;
  make_directory("beside");
  EXPECT_EQ(sh("echo x > file && ! echo x > $BASE/beside/file && ! echo x > .git/config"), 0);
  EXPECT_TRUE(exists("root/file"));
}

TEST_P(EnclosureFiles, HoldsForRootWhereAContainerCoversPartsOfProc) {
  if (kHasThreads) GTEST_SKIP() << kOneThread;
  // There no user namespace may mount another /proc.
  before_making = [] {
    enter_container();
    ASSERT_EQ(mount("none", "/proc/irq", "tmpfs", 0, nullptr), 0);
  };
  policy.backend = Backend::own;
  make_directory("beside");
  EXPECT_EQ(sh("echo x > file && ! echo x > $BASE/beside/file && test $$ -lt 100"), 0);
  EXPECT_TRUE(exists("root/file"));
}

// A listener of the host on loopback.
struct Listener {
  Listener() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket, 1), 0);
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  }
  ~Listener() { close(socket); }
  int reach() const {
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    return connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0
                                                                                             : 1;
  }
  int socket;
  sockaddr_in address{};
};

TEST_P(EnclosureNetwork, IsOffUnlessAllowed) {
  const Listener listener;
  EXPECT_EQ(run([&] { return listener.reach(); }), 1);
  policy.network = true;
  EXPECT_EQ(run([&] { return listener.reach(); }), 0);
}

TEST_P(EnclosureNetwork, HasALoopbackThatCommandsShare) {
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    const Listener listener;
    return run_in(enclosure, [&] { return listener.reach(); });
  });
  EXPECT_EQ(status, 0);
}

int reach_abstract(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(client, reinterpret_cast<sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) == 0
             ? 0
             : 1;
}

TEST_P(EnclosureNetwork, DoesNotReachAbstractSocketsOfTheHostEvenWithTheNetwork) {
  const std::string name = "helve-unit-" + std::to_string(getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())),
            0);
  ASSERT_EQ(listen(server, 4), 0);
  ASSERT_EQ(reach_abstract(name), 0);
  policy.network = true;
  EXPECT_EQ(run([&] { return reach_abstract(name); }), 1);
  close(server);
}

TEST_P(EnclosureLimits, BoundTheNumberOfProcesses) {
  policy.limits.processes = 350;
  EXPECT_EQ(run([] {
              for (int i = 0; i < 500; ++i) {
                const pid_t child = fork();
                if (child == 0) pause();
                if (child < 0) return i < 350 && i > 40 ? 0 : 2;
              }
              return 1;
            }),
            0);
}

TEST_P(EnclosureLimits, BoundMemory) {
  policy.limits.memory_bytes = 256u << 20;
  // Killed, or refused: both end it before it has written all of it.
  EXPECT_NE(run([] {
              constexpr size_t kSize = 400u << 20;
              auto* memory = static_cast<volatile char*>(malloc(kSize));
              if (memory == nullptr) return 1;
              for (size_t i = 0; i < kSize; i += 4096) memory[i] = 1;
              return 0;
            }),
            0);
}

TEST_P(EnclosureLimits, BoundTheSizeOfAFile) {
  policy.limits.file_bytes = 1u << 20;
  EXPECT_NE(sh("trap '' XFSZ; head -c 2000000 /dev/zero > file"), 0);
  EXPECT_EQ(std::filesystem::file_size(path("root/file")), 1u << 20);
}

// A limit of 0 would start the program that takes core dumps, outside.
TEST_P(EnclosureLimits, KeepTheLimitOfCoreFilesThatNobodyCanLower) {
  before_making = [] {
    rlimit usual{};
    getrlimit(RLIMIT_CORE, &usual);
    usual.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &usual);
  };
  EXPECT_EQ(run([] {
              const rlimit none{0, 0};
              rlimit now{};
              if (setrlimit(RLIMIT_CORE, &none) != 0) return 1;
              syscall(SYS_setrlimit, RLIMIT_CORE, &none);
              if (prlimit(0, RLIMIT_CORE, &none, &now) == 0) return 2;
              if (getrlimit(RLIMIT_CORE, &now) != 0) return 3;
              return now.rlim_cur == 1 && now.rlim_max == 1 ? 0 : 4;
            }),
            0);
}

// The keeper of a command must not lose its own.
TEST_P(EnclosureLimits, AreNobodysToChangeForOthers) {
  EXPECT_EQ(run([] {
              rlimit now{};
              const rlimit low{16, 16};
              // A filter sees a number, and not whose it is.
              if (prlimit(getpid(), RLIMIT_NOFILE, &low, nullptr) == 0) return 1;
              if (prlimit(getpid(), RLIMIT_NOFILE, nullptr, &now) != 0) return 2;
              return setrlimit(RLIMIT_NOFILE, &low) == 0 ? 0 : 3;
            }),
            0);
}

TEST_P(EnclosureLimits, GiveWayToOthers) {
  const int before = getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(with_enclosure([&](Enclosure& enclosure, const Ask&) {
              return run_in(enclosure, [&] {
                const bool is_nicer = getpriority(PRIO_PROCESS, 0) > before || before > 14;
                return enclosure.holds().group_processor || is_nicer ? 0 : 1;
              });
            }),
            0);
}

TEST_P(EnclosureLimits, LeaveNoControlGroupBehind) {
  before_making = [&] { std::ofstream(path("pid")) << getpid(); };
  EXPECT_EQ(sh("true"), 0);
  const std::string name = "helve-" + read("pid");
  for (const char* top : {"/sys/fs/cgroup/pids/", "/sys/fs/cgroup/cpu/", "/sys/fs/cgroup/",
                          "/sys/fs/cgroup/unified/"}) {
    EXPECT_FALSE(std::filesystem::exists(top + name));
  }
}

TEST_P(EnclosureLimits, EndEverythingWithTheFirstProcess) {
  std::string name = path("root/pipe");
  ASSERT_EQ(mkfifo(name.c_str(), 0666), 0);
  chmod(name.c_str(), 0666);
  const int reader = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  // A descendant in a session of its own holds the pipe; the end of file comes when it is gone.
  EXPECT_EQ(sh("setsid sh -c 'exec sleep 1000' > pipe & exec 2>&-; sleep 0 > pipe; true"), 0);
  pollfd waiting{reader, POLLIN, 0};
  ASSERT_EQ(poll(&waiting, 1, 20'000), 1);
  EXPECT_NE(waiting.revents & POLLHUP, 0);
  close(reader);
}

}  // namespace
}  // namespace helve::sandbox
