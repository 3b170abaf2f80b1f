#include "sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "sandbox/failure.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {
namespace {

// Numbers are the same on every architecture from 424 on; libseccomp may be older than the call.
constexpr int kMountSetattr = 442;
constexpr int kQuotactlFd = 443;
constexpr int kProcessMrelease = 448;
constexpr int kFchmodat2 = 452;
constexpr int kOpenTreeAttr = 467;

// Looks into or changes another process.
constexpr auto kOtherProcesses = std::to_array<int>(
    {SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
     SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp), SCMP_SYS(process_madvise), kProcessMrelease});

// Changes what the process sees of the machine.
constexpr auto kNamespacesAndMounts =
    std::to_array<int>({SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount),
                        SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(fsopen),
                        SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
                        SCMP_SYS(move_mount), SCMP_SYS(open_tree), kMountSetattr, kOpenTreeAttr});

// Large and young parts of the kernel that no build needs, and what only administrators do.
constexpr auto kAdministration = std::to_array<int>({SCMP_SYS(keyctl),
                                                     SCMP_SYS(add_key),
                                                     SCMP_SYS(request_key),
                                                     SCMP_SYS(userfaultfd),
                                                     SCMP_SYS(bpf),
                                                     SCMP_SYS(perf_event_open),
                                                     SCMP_SYS(kexec_load),
                                                     SCMP_SYS(kexec_file_load),
                                                     SCMP_SYS(init_module),
                                                     SCMP_SYS(finit_module),
                                                     SCMP_SYS(delete_module),
                                                     SCMP_SYS(create_module),
                                                     SCMP_SYS(query_module),
                                                     SCMP_SYS(get_kernel_syms),
                                                     SCMP_SYS(reboot),
                                                     SCMP_SYS(swapon),
                                                     SCMP_SYS(swapoff),
                                                     SCMP_SYS(open_by_handle_at),
                                                     SCMP_SYS(name_to_handle_at),
                                                     SCMP_SYS(acct),
                                                     SCMP_SYS(quotactl),
                                                     kQuotactlFd,
                                                     SCMP_SYS(ioperm),
                                                     SCMP_SYS(iopl),
                                                     SCMP_SYS(settimeofday),
                                                     SCMP_SYS(clock_settime),
                                                     SCMP_SYS(clock_settime64),
                                                     SCMP_SYS(clock_adjtime),
                                                     SCMP_SYS(clock_adjtime64),
                                                     SCMP_SYS(adjtimex),
                                                     SCMP_SYS(stime),
                                                     SCMP_SYS(syslog),
                                                     SCMP_SYS(lookup_dcookie),
                                                     SCMP_SYS(vhangup),
                                                     SCMP_SYS(nfsservctl),
                                                     SCMP_SYS(fanotify_init),
                                                     SCMP_SYS(fanotify_mark),
                                                     SCMP_SYS(move_pages),
                                                     SCMP_SYS(migrate_pages),
                                                     SCMP_SYS(uselib),
                                                     SCMP_SYS(ustat),
                                                     SCMP_SYS(_sysctl),
                                                     SCMP_SYS(sethostname),
                                                     SCMP_SYS(setdomainname),
                                                     SCMP_SYS(mbind),
                                                     SCMP_SYS(modify_ldt),
                                                     SCMP_SYS(vm86),
                                                     SCMP_SYS(vm86old)});

// What programs try first and do without when the kernel is said not to have it.
constexpr auto kAsynchronous = std::to_array<int>(
    {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)});
// The same; their flags and modes are behind a pointer, where no filter sees them.
constexpr auto kUnseen = std::to_array<int>({SCMP_SYS(clone3), SCMP_SYS(openat2)});

// Only the lower half of a register counts for the kernel, so only that may be compared.
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}
scmp_arg_cmp equals(unsigned argument, std::uint32_t value) {
  return masked(argument, 0xffffffffu, value);
}

class Builder {
 public:
  Builder() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {}

  bool ready() {
    // Other calling conventions (32 bit, x32) would walk around every rule.
    return context_ != nullptr &&
           seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)) == 0 &&
           seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0;
  }

  template <class... Compare>
  void deny(int number, int call, Compare... compare) {
    if (call < 0) return;  // not on this architecture
    const std::array<scmp_arg_cmp, sizeof...(Compare)> list{compare...};
    const int added = seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(number), call,
                                             list.size(), list.data());
    if (added != 0 && failed_ == 0) failed_ = -added;
  }

  template <size_t N>
  void deny_all(int number, const std::array<int, N>& calls) {
    for (const int call : calls) deny(number, call);
  }

  Result<FilterProgram> finish() {
    if (failed_ != 0) return failure("make its system call filter", failed_);
    const sys::Fd file(memfd_create("filter", MFD_CLOEXEC));
    if (!file) return failure("keep its system call filter", errno);
    if (const int done = seccomp_export_bpf(context_.get(), file.get()); done != 0) {
      return failure("make its system call filter", -done);
    }
    const off_t size = lseek(file.get(), 0, SEEK_END);
    FilterProgram program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size) {
      return failure("read its system call filter", EIO);
    }
    return program;
  }

 private:
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  int failed_ = 0;
};

void deny_new_namespaces(Builder& filter) {
#if defined(__s390x__)
  constexpr unsigned kFlags = 1;
#else
  constexpr unsigned kFlags = 0;
#endif
  for (const unsigned flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                              CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    filter.deny(EPERM, SCMP_SYS(clone), masked(kFlags, flag, flag));
  }
}

// Sockets other than UNIX, INET and INET6. Of netlink only what lists addresses and routes: without
// capabilities it changes nothing, and programs crash without it.
void deny_sockets(Builder& filter) {
  // Compared as a whole, the upper half of the register can only make it larger, thus denied.
  filter.deny(EAFNOSUPPORT, SCMP_SYS(socket), scmp_arg_cmp{0, SCMP_CMP_GT, AF_NETLINK, 0});
  for (std::uint32_t family = 0; family < AF_NETLINK; ++family) {
    if (family == AF_UNIX || family == AF_INET || family == AF_INET6) continue;
    filter.deny(EAFNOSUPPORT, SCMP_SYS(socket), equals(0, family));
  }
  filter.deny(EPERM, SCMP_SYS(socket), equals(0, AF_NETLINK),
              scmp_arg_cmp{2, SCMP_CMP_NE, NETLINK_ROUTE, 0});
  constexpr int kTypeMask = 0xf;  // the rest are flags
  for (const std::uint32_t family : {AF_INET, AF_INET6}) {
    for (const std::uint64_t type : {SOCK_RAW, SOCK_PACKET}) {
      filter.deny(EPERM, SCMP_SYS(socket), equals(0, family), masked(1, kTypeMask, type));
    }
  }
}

// A file that runs as its owner would leave the sandbox with the next user who runs it.
void deny_set_id_files(Builder& filter) {
  struct Mode {
    int call;
    unsigned argument;
  };
  constexpr std::array<Mode, 7> kModes{{{SCMP_SYS(chmod), 1},
                                        {SCMP_SYS(fchmod), 1},
                                        {SCMP_SYS(fchmodat), 2},
                                        {kFchmodat2, 2},
                                        {SCMP_SYS(creat), 1},
                                        {SCMP_SYS(mknod), 1},
                                        {SCMP_SYS(mknodat), 2}}};
  for (const unsigned bit : {S_ISUID, S_ISGID}) {
    for (const auto& [call, argument] : kModes)
      filter.deny(EPERM, call, masked(argument, bit, bit));
    filter.deny(EPERM, SCMP_SYS(open), masked(1, O_CREAT, O_CREAT), masked(2, bit, bit));
    filter.deny(EPERM, SCMP_SYS(openat), masked(2, O_CREAT, O_CREAT), masked(3, bit, bit));
    constexpr unsigned kTemporary = O_TMPFILE & ~O_DIRECTORY;
    filter.deny(EPERM, SCMP_SYS(open), masked(1, kTemporary, kTemporary), masked(2, bit, bit));
    filter.deny(EPERM, SCMP_SYS(openat), masked(2, kTemporary, kTemporary), masked(3, bit, bit));
  }
}

void deny_terminal_tricks(Builder& filter) {
  constexpr std::uint32_t kTypeAhead = 0x5412;   // TIOCSTI: types into the terminal
  constexpr std::uint32_t kConsole = 0x541c;     // TIOCLINUX: pastes into the console
  constexpr std::uint32_t kDiscipline = 0x5423;  // TIOCSETD: loads a driver
  for (const std::uint32_t request : {kTypeAhead, kConsole, kDiscipline}) {
    filter.deny(EPERM, SCMP_SYS(ioctl), equals(1, request));
  }
}

// Other systems' ways, and what makes memory easier to attack. Sanitizers ask for the lack of
// address randomisation, which stays.
void deny_personalities(Builder& filter) {
  constexpr std::uint32_t kOnlyInTheQuestion = 1u << 31;  // all ones asks which it is
  for (const std::uint32_t flag :
       {0x1u, 0x2u, 0x4u, 0x8u, 0x10u, 0x20u, 0x40u, 0x80u, unsigned{MMAP_PAGE_ZERO},
        unsigned{READ_IMPLIES_EXEC}, unsigned{ADDR_COMPAT_LAYOUT}}) {
    filter.deny(EPERM, SCMP_SYS(personality), masked(0, flag | kOnlyInTheQuestion, flag));
  }
}

// For a limit of 0 the kernel would still start the program that takes core dumps, outside and as
// root; for 1 it does not (core(5)). Programs that ask for 0 do not want to be dumped, and are not:
// they are told yes.
void keep_core_limit(Builder& filter) {
  constexpr int kYes = 0;
  const scmp_arg_cmp sets{2, SCMP_CMP_NE, 0, 0};
  filter.deny(kYes, SCMP_SYS(setrlimit), equals(0, RLIMIT_CORE));
  filter.deny(kYes, SCMP_SYS(prlimit64), equals(1, RLIMIT_CORE), sets,
              scmp_arg_cmp{3, SCMP_CMP_EQ, 0, 0});
  // Who wants to be told the old limit as well would be told nothing.
  filter.deny(EPERM, SCMP_SYS(prlimit64), equals(1, RLIMIT_CORE), sets,
              scmp_arg_cmp{3, SCMP_CMP_NE, 0, 0});
}

// As root a command could take its keeper the descriptors away. Who means itself says 0.
void keep_limits_of_others(Builder& filter) {
  filter.deny(EPERM, SCMP_SYS(prlimit64), scmp_arg_cmp{0, SCMP_CMP_NE, 0, 0},
              scmp_arg_cmp{2, SCMP_CMP_NE, 0, 0});
}

}  // namespace

Result<FilterProgram> make_standing_filter() {
  Builder filter;
  if (!filter.ready()) return failure("make its system call filter", ENOMEM);
  filter.deny_all(EPERM, kOtherProcesses);
  filter.deny_all(EPERM, kAdministration);
  filter.deny_all(ENOSYS, kAsynchronous);
  deny_sockets(filter);
  deny_set_id_files(filter);
  deny_terminal_tricks(filter);
  deny_personalities(filter);
  return filter.finish();
}

Result<FilterProgram> make_closing_filter() {
  Builder filter;
  if (!filter.ready()) return failure("make its system call filter", ENOMEM);
  filter.deny_all(EPERM, kNamespacesAndMounts);
  filter.deny_all(ENOSYS, kUnseen);
  deny_new_namespaces(filter);
  keep_core_limit(filter);
  keep_limits_of_others(filter);
  return filter.finish();
}

Result<void> install(const FilterProgram& program) {
  const sock_fprog code{static_cast<unsigned short>(program.size()),
                        const_cast<sock_filter*>(program.data())};
  // Without this flag older kernels slow every process with a filter down.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &code) == 0) {
    return {};
  }
  return failure("install its system call filter", errno);
}

}  // namespace helve::sandbox
