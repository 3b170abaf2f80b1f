// Mounts: the few things that the sandbox does to its own mount namespace, each with an Error that
// names the path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// A mount that is not attached anywhere yet.
using Detached = sys::Fd;

struct MountOption {
  std::string name;
  std::string value;  // empty: a flag
};

// The mount attributes that a tree gets besides those it has.
constexpr std::uint64_t kReadOnly = 0x1;   // MOUNT_ATTR_RDONLY
constexpr std::uint64_t kNoSuid = 0x2;     // MOUNT_ATTR_NOSUID
constexpr std::uint64_t kNoDevices = 0x4;  // MOUNT_ATTR_NODEV
constexpr std::uint64_t kNoExecute = 0x8;  // MOUNT_ATTR_NOEXEC

// No mount of this namespace is seen by another from now on, nor the other way round.
Result<void> make_private();

// A copy of what `path` shows, with everything mounted below it. Symbolic links are followed.
Result<Detached> clone_tree(const std::string& path);
// A new, empty file system.
Result<Detached> new_filesystem(std::string_view type, const std::vector<MountOption>& options,
                                std::uint64_t attributes = 0);
Result<void> restrict_tree(const Detached& tree, std::uint64_t attributes);
Result<void> restrict_tree(const std::string& path, std::uint64_t attributes);
// A copy of what we made read-only ourselves, without what is mounted below it.
Result<void> make_writable(const Detached& tree);
// Only the mount at `path`, not those below it.
Result<void> restrict_mount(const std::string& path, std::uint64_t attributes);
// The last part of `path` must not be a symbolic link.
Result<void> attach(const Detached& tree, const std::string& path);

// By descriptors (O_PATH) of this mount namespace, for places whose names somebody may be changing.
// `shown` is how messages call the place.
Result<Detached> clone_tree(const sys::Fd& place, std::string_view shown);
Result<void> attach(const Detached& tree, const sys::Fd& place, std::string_view shown);
// Mounts the place on itself: it can be neither renamed nor removed, and gets these attributes.
Result<void> bind_to_itself(const sys::Fd& place, std::uint64_t attributes, std::string_view shown);

}  // namespace helve::sandbox
