#include "sandbox/other_names.h"

#include <algorithm>
#include <map>

#include "sandbox/view.h"

namespace helve::sandbox {
namespace {

// The path below `to` that `path` is below `from`.
std::string moved(std::string_view path, std::string_view from, std::string_view to) {
  const std::string_view rest = from == "/" ? path : path.substr(from.size());
  if (to == "/") return rest.empty() || rest == "/" ? "/" : std::string(rest);
  return std::string(to).append(rest == "/" ? "" : rest);
}

// The mount that shows the path: the deepest, and of several in one place the last.
const MountEntry* mount_of(std::string_view path, std::span<const MountEntry> mounts) {
  const MountEntry* found = nullptr;
  for (const MountEntry& mount : mounts) {
    if (is_below(path, mount.point) && (!found || mount.point.size() >= found->point.size()))
      found = &mount;
  }
  return found;
}

}  // namespace

std::vector<std::string> other_names(std::span<const std::string> paths,
                                     std::span<const MountEntry> mounts) {
  std::map<std::string_view, std::vector<const MountEntry*>> by_device;
  for (const MountEntry& mount : mounts) by_device[mount.device].push_back(&mount);
  std::erase_if(by_device, [](const auto& each) { return each.second.size() < 2; });
  std::vector<std::string> names;
  if (by_device.empty()) return names;
  for (const std::string& path : paths) {
    const MountEntry* shown_by = mount_of(path, mounts);
    const auto same = shown_by ? by_device.find(shown_by->device) : by_device.end();
    if (same == by_device.end()) continue;
    const std::string inner = moved(path, shown_by->point, shown_by->root);
    for (const MountEntry* other : same->second) {
      std::string name;
      if (is_below(inner, other->root))
        name = moved(inner, other->root, other->point);
      else if (is_below(other->root, inner))
        name = other->point;
      if (!name.empty() && name != path) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace helve::sandbox
