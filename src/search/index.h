// Index: which files of a tree can hold a text, known beforehand. It lies on disk in segments; a
// later segment knows better about the files that it names.
//
// It only ever spares work: a file counts as known while its stamp is what it was when it was read,
// and any other file is searched as if there were no index.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/index_build.h"
#include "search/index_segment.h"

namespace helve::search {

struct FileRef {
  std::uint32_t segment = 0;
  std::uint32_t file = 0;

  bool operator==(const FileRef&) const = default;
};

// All segments at one moment, the oldest first. Immutable.
class Segments {
 public:
  explicit Segments(std::vector<std::shared_ptr<const Segment>> segments)
      : segments_(std::move(segments)) {}

  bool empty() const { return segments_.empty(); }
  size_t size() const { return segments_.size(); }
  const Segment& operator[](size_t i) const { return *segments_[i]; }
  const Segment& segment_of(FileRef ref) const { return *segments_[ref.segment]; }

  // What the last segment that has the path knows; nothing when the file is another one by now.
  std::optional<FileRef> find(std::string_view path, const FileStamp& now) const;

 private:
  std::vector<std::shared_ptr<const Segment>> segments_;
};

// Thread-safe, also among processes: whoever builds holds a lock, and readers keep what they have.
class Index {
 public:
  // Of the tree at `root`; its files lie in `directory`, which is made when something is built.
  Index(std::string directory, std::string root);

  // The name of the directory for a root, below the one for all indexes.
  static std::string name_for(std::string_view root);

  // What is on disk now; empty when there is nothing, or nothing that can be used.
  std::shared_ptr<const Segments> open();
  // The same as was opened or built last.
  std::shared_ptr<const Segments> segments() const;

  // Builds everything anew from these files, which are in the order of path_less.
  Result<Built> build(const sys::Fd& root, std::span<const std::string> paths,
                      const BuildOptions& options);
  // Adds a segment for files that are not known as they are now.
  Result<Built> update(const sys::Fd& root, std::span<const std::string> paths,
                       const BuildOptions& options);
  Result<void> drop();

  const std::string& directory() const { return directory_; }

 private:
  struct Locked {
    sys::Fd directory;
    sys::Fd lock;
    std::vector<std::string> names;  // of the segments, the oldest first
  };
  Result<Locked> lock() const;
  Result<Built> add(const sys::Fd& root, std::span<const std::string> paths,
                    const BuildOptions& options, bool keep_others);

  const std::string directory_;
  const std::string root_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Segments> segments_;  // guarded by mutex_; never null
};

}  // namespace helve::search
