// DirectoryWatch: the kernel tells what changes in directories, at the moment it changes. What
// another process did before the queue is read is in the queue.
//
// Blind to what happens on other machines (network file systems), to what is written through
// another hard link, and to stores through a shared mapping, which it reports only when the mapping
// ends.
#pragma once

#include <functional>
#include <string_view>

#include "sys/file_at.h"

namespace helve::sys {

class DirectoryWatch {
 public:
  struct Event {
    int watch = -1;  // as watch() returned it; -1 with `lost`
    std::string_view name =
        {};                     // in the directory; empty: the directory itself. Valid in the visit
    bool is_directory = false;  // what the name is, or was
    bool entry = false;         // the name came, went or is borne by something else now
    bool came = false;          // the first of these
    bool content = false;       // what bears the name changed, or its attributes did
    bool ended = false;         // the watch is over: the directory is gone, or went elsewhere
    bool lost = false;  // there were too many events, some are missing; or what is mounted changed
  };

  static OrErrno<DirectoryWatch> make();

  // Watches a directory, by what the descriptor holds. The same number for the same directory.
  OrErrno<int> watch(const Fd& directory) const;
  void forget(int watch) const;
  // That this user may have in all processes together.
  static std::uint64_t most_watches();
  // Visits all that has happened so far; never waits.
  OrErrno<void> drain(const std::function<void(const Event&)>& visit) const;

 private:
  DirectoryWatch(Fd queue, Fd mounts) : queue_(std::move(queue)), mounts_(std::move(mounts)) {}
  Fd queue_;
  Fd mounts_;  // no watch tells that a directory was covered by another
};

}  // namespace helve::sys
