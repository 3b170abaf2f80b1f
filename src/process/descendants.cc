#include "process/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "sys/file_descriptor.h"

namespace helve::process {
namespace {

// The fourth field of /proc/PID/stat, behind the name, which may itself hold anything.
pid_t parent_of(pid_t pid) {
  const sys::Fd file(open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[512];
  const ssize_t size = file ? read(file.get(), buffer, sizeof buffer) : -1;
  if (size <= 0) return 0;
  const std::string_view text(buffer, static_cast<size_t>(size));
  const size_t name_end = text.rfind(')');
  if (name_end == text.npos) return 0;
  const auto fields = split(text.substr(name_end), ' ');
  pid_t parent = 0;
  if (fields.size() > 2)
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), parent);
  return parent;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::unordered_multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
  if (!directory) return {};
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size())
      children.emplace(parent_of(pid), pid);
  }
  std::vector<pid_t> found{ancestor};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace helve::process
