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

using Family = std::unordered_multimap<pid_t, pid_t>;

// Every process by its parent.
Family look_around() {
  Family children;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
  if (!directory) return {};
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size())
      children.emplace(parent_of(pid), pid);
  }
  return children;
}

void add_children(const Family& family, pid_t parent, std::vector<pid_t>& found) {
  const auto [first, last] = family.equal_range(parent);
  for (auto at = first; at != last; ++at) found.push_back(at->second);
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  add_children(look_around(), parent, found);
  return found;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  const Family family = look_around();
  std::vector<pid_t> found;
  add_children(family, ancestor, found);
  for (size_t i = 0; i < found.size(); ++i) add_children(family, found[i], found);
  return found;
}

}  // namespace helve::process
