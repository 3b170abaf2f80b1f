#include "sandbox/way.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxLinks = 40;  // as the kernel

std::string parent_of(const std::string& path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

std::string target_of(const std::string& link) {
  char words[PATH_MAX];
  const ssize_t size = readlink(link.c_str(), words, sizeof words);
  return {words, static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

Way Walker::way_to(const std::string& path) {
  Way way;
  for (std::string rest = path; !rest.empty() && way.is_there;) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (name == "..") way.end = parent_of(way.end);
    if (name.empty() || name == "." || name == "..") continue;
    std::string place = (way.end == "/" ? "" : way.end) + "/" + name;
    struct stat status {};
    if (!directories_.contains(place)) {
      way.is_there = lstat(place.c_str(), &status) == 0;
      way.is_closed = !way.is_there && errno == EACCES;
      if (way.is_there && S_ISDIR(status.st_mode)) directories_.insert(place);
    }
    if (!S_ISLNK(status.st_mode)) {
      way.end = std::move(place);
    } else if (way.links.size() < kMaxLinks) {
      const std::string target = target_of(place);
      if (target.starts_with('/')) way.end = "/";
      rest.insert(0, target + "/");
      way.links.push_back(std::move(place));
    } else {
      way.is_there = false;
      way.end = std::move(place);
    }
  }
  return way;
}

std::vector<std::string> directories_on(const Way& way) {
  std::vector<std::string> directories;
  for (const std::string& link : way.links) directories.push_back(parent_of(link));
  directories.push_back(parent_of(way.end));
  return directories;
}

Result<void> check_closed(const std::string& path) {
  const Way way = Walker().way_to(path);
  // It was when we came here.
  if (!way.is_closed) return unfit(fmt::format("'{}' is opened and closed", path), "try again");
  const std::string directory = parent_of(way.end);
  struct stat status {};
  struct statvfs mounted {};
  if (stat(directory.c_str(), &status) != 0 || statvfs(directory.c_str(), &mounted) != 0)
    return failure("look at " + directory, errno);
  if (status.st_uid != geteuid() || (mounted.f_flag & ST_RDONLY) != 0) return {};
  return unfit(fmt::format("'{}' is closed, and commands could open it", directory),
               "open it: chmod u+rwx");
}

}  // namespace helve::sandbox
