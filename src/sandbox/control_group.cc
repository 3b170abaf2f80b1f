#include "sandbox/control_group.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "sandbox/kernel.h"
#include "sys/directory.h"

namespace helve::sandbox {
namespace {

constexpr std::string_view kPrefix = "helve-";

// Half of what every other group has. On a processor with nothing else to do it costs nothing.
constexpr std::string_view kWeight = "50";
constexpr std::string_view kShares = "512";  // the same for the first version

bool write_value(const std::string& path, std::string_view value) {
  const sys::Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

bool has_item(std::string_view list, std::string_view item) {
  return std::ranges::any_of(split(list, ','), [&](std::string_view part) { return part == item; });
}

// The directory of the group that this process is in: of a controller in the first version's
// hierarchies, or ("" as controller) in the second's.
std::optional<std::string> own_group(std::string_view controller, const std::string& groups,
                                     const std::vector<MountEntry>& mounts) {
  std::optional<std::string_view> path;
  for (const std::string_view line : split(groups, '\n')) {  // "8:pids:/a/b"
    const auto fields = split(line, ':');
    if (fields.size() < 3) continue;
    if (controller.empty() ? fields[1].empty() : has_item(fields[1], controller)) {
      path = line.substr(fields[0].size() + fields[1].size() + 2);
    }
  }
  if (!path) return std::nullopt;
  for (const MountEntry& mount : mounts) {
    const bool matches = controller.empty()
                             ? mount.type == "cgroup2"
                             : mount.type == "cgroup" && has_item(mount.options, controller);
    if (!matches) continue;
    std::string_view below = *path;
    if (mount.root != "/" && below.starts_with(mount.root)) below.remove_prefix(mount.root.size());
    return mount.point + (below == "/" ? "" : std::string(below));
  }
  return std::nullopt;
}

// A group with somebody in it cannot be removed, so this hits only what is left behind.
void remove_leftovers(const sys::Fd& directory) {
  std::vector<std::string> names;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (entry.name.starts_with(kPrefix)) names.emplace_back(entry.name);
    return true;
  });
  for (const std::string& name : names) unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR);
}

}  // namespace

bool ControlGroup::add(const std::string& parent, const std::string& former,
                       const std::vector<std::pair<std::string, std::string>>& settings) {
  sys::Fd directory(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  sys::Fd way_back(open((former + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!directory || !way_back || faccessat(directory.get(), "cgroup.procs", F_OK, 0) != 0)
    return false;
  remove_leftovers(directory);
  const std::string name = fmt::format("{}{}", kPrefix, getpid());
  if (mkdirat(directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return false;
  const auto write_all = [&] {
    for (const auto& [file, value] : settings) {
      if (!write_value(fmt::format("{}/{}/{}", parent, name, file), value)) return false;
    }
    return write_value(fmt::format("{}/{}/cgroup.procs", parent, name), "0");
  };
  if (!write_all()) {
    unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR);
    return false;
  }
  groups_.push_back({std::move(directory), name, std::move(way_back)});
  return true;
}

ControlGroup ControlGroup::join(const Limits& limits) {
  ControlGroup group;
  const std::string groups = read_table("/proc/self/cgroup");
  const std::vector<MountEntry> mounts = mount_table();
  const std::string processes = std::to_string(limits.processes);
  const std::string memory = std::to_string(limits.memory_bytes);
  // The second version: beside our own group, since a group with processes cannot have bounded
  // groups below it; only where somebody has enabled the controllers for such groups.
  if (const auto own = own_group("", groups, mounts)) {
    std::vector<std::pair<std::string, std::string>> settings;
    if (limits.processes != 0) settings.emplace_back("pids.max", processes);
    if (limits.memory_bytes != 0) settings.emplace_back("memory.max", memory);
    // The topmost group is the exception.
    std::string parent = own->substr(0, own->rfind('/'));
    if (access((parent + "/cgroup.procs").c_str(), F_OK) != 0) parent = *own;
    const auto with = [&](std::vector<std::pair<std::string, std::string>> all) {
      all.emplace_back("cpu.weight", kWeight);
      return group.add(parent, *own, all);
    };
    group.processor_ = with(settings);
    if (group.processor_ || (!settings.empty() && group.add(parent, *own, settings))) {
      group.processes_ = limits.processes != 0;
      group.memory_ = limits.memory_bytes != 0;
      return group;
    }
  }
  if (const auto own = own_group("cpu", groups, mounts))
    group.processor_ = group.add(*own, *own, {{"cpu.shares", std::string(kShares)}});
  if (limits.processes != 0) {
    const auto own = own_group("pids", groups, mounts);
    group.processes_ = own && group.add(*own, *own, {{"pids.max", processes}});
  }
  if (limits.memory_bytes != 0) {
    const auto own = own_group("memory", groups, mounts);
    group.memory_ = own && group.add(*own, *own, {{"memory.limit_in_bytes", memory}});
  }
  return group;
}

void ControlGroup::leave() const {
  for (const Group& group : groups_) {
    (void)!write(group.former.get(), "0", 1);
    unlinkat(group.parent.get(), group.name.c_str(), AT_REMOVEDIR);
  }
}

std::uint64_t memory_kills(int pid) {
  const std::string groups = read_table(fmt::format("/proc/{}/cgroup", pid));
  const std::vector<MountEntry> mounts = mount_table();
  for (const auto& [controller, file] :
       {std::pair("", "memory.events"), {"memory", "memory.oom_control"}}) {
    const auto own = own_group(controller, groups, mounts);
    if (!own) continue;
    const std::string events = read_table(*own + "/" + file);
    for (const std::string_view line : split(events, '\n')) {
      constexpr std::string_view kKilled = "oom_kill ";
      if (!line.starts_with(kKilled)) continue;
      const std::string_view number = line.substr(kKilled.size());
      std::uint64_t count = 0;
      std::from_chars(number.data(), number.data() + number.size(), count);
      return count;
    }
  }
  return 0;
}

}  // namespace helve::sandbox
