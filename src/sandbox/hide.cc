#include "sandbox/hide.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "sandbox/failure.h"
#include "sandbox/mounts.h"
#include "sandbox/way.h"

namespace helve::sandbox {
namespace {

constexpr const char* kEmptyDirectory = "/run/helve/directory";
constexpr const char* kEmptyFile = "/run/helve/file";

// Two changes within this many seconds may bear the same time on some file systems.
constexpr std::int64_t kCoarseClock = 2;

Result<void> make_directory(const char* path, mode_t mode) {
  if (mkdir(path, mode) == 0 || errno == EEXIST) return {};
  return failure(std::string("make ") + path, errno);
}

Result<void> make_file(const char* path) {
  const sys::Fd file(open(path, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0));
  if (!file) return failure(std::string("make ") + path, errno);
  return {};
}

// What there is to cover at `path`; without a descriptor: the command could not reach it either.
Result<sys::Fd> find(const std::string& path) {
  sys::Fd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (place) return place;
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
    return failure("look at " + path, errno);  // the command might have more luck
  if (errno == EACCES) TRY(check_closed(path));
  return place;
}

}  // namespace

Result<void> make_vault() {
  TRY(make_directory(kVault, 0755));
  const Detached vault = TRY(new_filesystem("tmpfs", {{"mode", "0755"}, {"size", "64k"}},
                                            kNoSuid | kNoDevices | kNoExecute));
  TRY(attach(vault, kVault));
  TRY(make_directory(kEmptyDirectory, 0));
  TRY(make_file(kEmptyFile));
  // Nobody without capabilities passes a directory of mode 0 that is on a read-only mount: its
  // owner could not change the mode.
  TRY(make_directory("/run/helve/kept", 0));
  TRY(make_directory(kScratchInVault, 0));
  TRY(make_directory(kTemporaryInVault, 0));
  return restrict_mount(kVault, kReadOnly);
}

Result<void> hide(std::span<const std::string> paths, Which which) {
  struct stat cover {};
  if (stat(kEmptyFile, &cover) != 0) return failure("find its covers", errno);
  for (const std::string& path : paths) {
    const sys::Fd place = TRY(find(path));
    struct stat status {};
    if (!place || fstat(place.get(), &status) != 0 || status.st_dev == cover.st_dev) continue;
    if (which == Which::sockets_only && !S_ISSOCK(status.st_mode)) continue;
    const Detached tree = TRY(clone_tree(S_ISDIR(status.st_mode) ? kEmptyDirectory : kEmptyFile));
    TRY(attach(tree, place, path));
  }
  return {};
}

Result<Covers> Covers::make(std::span<const std::string> paths) {
  Covers covers;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  Walker walker;
  for (const std::string& path : paths) {
    for (const std::string& directory : directories_on(walker.way_to(path)))
      covers.directories_[directory].paths.push_back(path);
  }
  // After the ways were looked for and before covering: a change in between is seen as one.
  for (auto& [name, directory] : covers.directories_) {
    directory.stamp = stamp_of(name);
    directory.certain = now.tv_sec - directory.stamp.seconds > kCoarseClock;
  }
  TRY(hide(paths));
  return covers;
}

Result<void> Covers::renew() const {
  for (const auto& [name, directory] : directories_) {
    if (directory.certain && stamp_of(name) == directory.stamp) continue;
    TRY(hide(directory.paths));
  }
  return {};
}

std::vector<std::string> Covers::directories() const {
  std::set<std::string_view> paths;
  for (const auto& [name, directory] : directories_)
    paths.insert(directory.paths.begin(), directory.paths.end());
  Walker walker;
  std::set<std::string> names;
  for (const std::string_view path : paths) {
    std::vector<std::string> found = directories_on(walker.way_to(std::string(path)));
    names.insert(std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return {names.begin(), names.end()};
}

Covers::Stamp Covers::stamp_of(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .seconds = status.st_ctim.tv_sec,
          .nanoseconds = status.st_ctim.tv_nsec};
}

}  // namespace helve::sandbox
