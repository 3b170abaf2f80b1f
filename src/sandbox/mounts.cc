#include "sandbox/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

Result<void> restrict_at(int directory, const char* path, unsigned flags, std::uint64_t attributes,
                         std::string_view shown) {
  if (attributes == 0) return {};
  mount_attr attr{};
  attr.attr_set = attributes;
  if (mount_setattr(directory, path, flags, &attr, sizeof attr) == 0) return {};
  return failure("restrict the mount at " + std::string(shown), errno,
                 errno == ENOSYS ? "Linux 5.12 or newer is needed" : "");
}

}  // namespace

Result<void> make_private() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return {};
  return failure("make its mounts private", errno);
}

Result<Detached> clone_tree(const std::string& path) {
  Detached tree(
      open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (!tree) return failure("copy the mount of " + path, errno);
  return tree;
}

Result<Detached> new_filesystem(std::string_view type, const std::vector<MountOption>& options,
                                std::uint64_t attributes) {
  const std::string name(type);
  const sys::Fd context(fsopen(name.c_str(), FSOPEN_CLOEXEC));
  if (!context) return failure("use the file system " + name, errno);
  for (const auto& [key, value] : options) {
    const int set =
        value.empty() ? fsconfig(context.get(), FSCONFIG_SET_FLAG, key.c_str(), nullptr, 0)
                      : fsconfig(context.get(), FSCONFIG_SET_STRING, key.c_str(), value.c_str(), 0);
    if (set != 0) return failure("set " + key + " for the file system " + name, errno);
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return failure("make the file system " + name, errno);
  }
  Detached tree(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes)));
  if (!tree) return failure("mount the file system " + name, errno);
  return tree;
}

Result<void> restrict_tree(const Detached& tree, std::uint64_t attributes) {
  return restrict_at(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, attributes, "a copied tree");
}

Result<void> make_writable(const Detached& tree) {
  mount_attr attr{};
  attr.attr_clr = kReadOnly;
  if (mount_setattr(tree.get(), "", AT_EMPTY_PATH, &attr, sizeof attr) == 0) return {};
  return failure("open a copied tree for writing", errno);
}

Result<void> restrict_tree(const std::string& path, std::uint64_t attributes) {
  return restrict_at(AT_FDCWD, path.c_str(), AT_RECURSIVE, attributes, path);
}

Result<void> restrict_mount(const std::string& path, std::uint64_t attributes) {
  return restrict_at(AT_FDCWD, path.c_str(), 0, attributes, path);
}

Result<void> attach(const Detached& tree, const std::string& path) {
  if (move_mount(tree.get(), "", AT_FDCWD, path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) return {};
  return failure("mount at " + path, errno);
}

Result<Detached> clone_tree(const sys::Fd& place, std::string_view shown) {
  Detached tree(open_tree(place.get(), "",
                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH));
  if (!tree) return failure("copy the mount of " + std::string(shown), errno);
  return tree;
}

Result<void> attach(const Detached& tree, const sys::Fd& place, std::string_view shown) {
  if (move_mount(tree.get(), "", place.get(), "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0) {
    return {};
  }
  return failure("mount at " + std::string(shown), errno);
}

Result<void> bind_to_itself(const sys::Fd& place, std::uint64_t attributes,
                            std::string_view shown) {
  const Detached tree = TRY(clone_tree(place, shown));
  TRY(restrict_tree(tree, attributes));
  return attach(tree, place, shown);
}

}  // namespace helve::sandbox
