#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "sandbox/failure.h"
#include "sandbox/kernel.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {
namespace {

// The kernel's interface, written down here because packaged headers stop at its second version.
struct RulesetAttributes {
  std::uint64_t handled_files;
  std::uint64_t handled_network;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;  // REMOVE_DIR … MAKE_SYM
constexpr std::uint64_t kRefer = 1u << 13;        // version 2: rename and link between directories
constexpr std::uint64_t kTruncate = 1u << 14;     // version 3
constexpr std::uint64_t kIoctlDevice = 1u << 15;  // version 5
constexpr std::uint64_t kScopeAbstractSocket = 1u << 0;  // version 6
constexpr std::uint64_t kScopeSignal = 1u << 1;          // version 6

std::uint64_t handled_by(int version) {
  std::uint64_t handled = kWriteFile | kRemoveAndMake;
  if (version >= 2) handled |= kRefer;
  if (version >= 3) handled |= kTruncate;
  if (version >= 5) handled |= kIoctlDevice;
  return handled;
}

// How much of the attributes a kernel of that version knows.
size_t attributes_size(int version) {
  if (version >= 6) return sizeof(RulesetAttributes);
  return version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

Result<void> allow(const sys::Fd& ruleset, const std::string& path, std::uint64_t access) {
  const sys::Fd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) {
    if (errno == ENOENT) return {};
    return failure("open " + path + " for Landlock", errno);
  }
  const PathRule rule{access, place.get()};
  if (syscall(SYS_landlock_add_rule, ruleset.get(), kRulePathBeneath, &rule, 0) == 0) return {};
  return failure("allow " + path + " in Landlock", errno);
}

}  // namespace

Result<sys::Fd> make_ruleset(std::span<const std::string> writable, AbstractSockets sockets) {
  const int version = landlock_version();
  if (version == 0) return sys::Fd();
  const std::uint64_t handled = handled_by(version);
  // Version 4 could close TCP ports, but it knows no addresses: loopback would go, too. The network
  // namespace does better.
  RulesetAttributes attributes{.handled_files = handled, .handled_network = 0, .scoped = 0};
  if (version >= 6) {
    attributes.scoped = kScopeSignal | (sockets == AbstractSockets::own ? kScopeAbstractSocket : 0);
  }
  sys::Fd ruleset(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, attributes_size(version), 0)));
  if (!ruleset) return failure("make Landlock rules", errno);
  for (const std::string& path : writable) TRY(allow(ruleset, path, handled));
  TRY(allow(ruleset, "/dev", handled & (kWriteFile | kTruncate | kIoctlDevice)));
  return ruleset;
}

Result<void> enforce(const sys::Fd& ruleset) {
  if (!ruleset || syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0) return {};
  return failure("enforce Landlock rules", errno,
                 errno == E2BIG ? "too many sandboxes are nested" : "");
}

}  // namespace helve::sandbox
