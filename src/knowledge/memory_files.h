// MemoryFiles: the notes below a memory root, MEMORY.md and memory/**/*.md, as they are on disk.
// Opened beneath the root's descriptor, never through a link, so that no path leads out of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/quick_hash.h"
#include "base/result.h"
#include "sys/file_at.h"

namespace helve::knowledge {

constexpr size_t kMaxMemoryFiles = 20'000;
constexpr size_t kMaxMemoryFileBytes = 8u << 20;
constexpr size_t kMaxMemoryBytes = 256u << 20;  // of all files
constexpr size_t kMaxMemoryNames = 100'000;     // notes and directories in one directory
constexpr int kMaxMemoryDepth = 16;             // of directories in memory/

// Whether the path may name a note: "MEMORY.md", "memory.md", ".helve/MEMORY.md" (which the system
// prompt quotes) or something below "memory/", relative and without "..". Compared part by part.
bool is_memory_path(std::string_view path);

// What is known of a note that was read. While its file is still that, so is the content.
struct NoteStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // 0: it was read too soon after it was written to tell later
  Hash128 content;

  std::string bytes() const;
  static std::optional<NoteStamp> of(std::string_view bytes);
};

// One thread at a time.
class MemoryFiles {
 public:
  struct Note {
    std::string path, content;
    NoteStamp stamp;
  };
  // Takes a note that is new or was changed, the `number`th of `all` that are looked at, from 0.
  // False: it did not, and the note counts as not read.
  using Put = std::function<bool(Note note, size_t number, size_t all)>;
  struct Changes {
    std::vector<std::string> removed;    // paths
    std::vector<std::string> restamped;  // with the content that they had
    std::vector<std::string> problems;   // what is left out, and why
    bool is_stopped = false;             // before all was looked at
  };

  explicit MemoryFiles(sys::Fd root, size_t max_names = kMaxMemoryNames)
      : root_(std::move(root)), max_names_(max_names) {}

  // A note that somebody remembers to have read.
  void remember(std::string path, const NoteStamp& stamp);
  // Reads what is new or was changed since the last time, and nothing else. When it is stopped, the
  // next time goes on from there.
  Changes sync(std::int64_t now_ns, const Put& put, const std::stop_token& stop);

  // A note as a whole, as it is now; `not_found` when there is none. On any thread.
  Result<std::string> read(std::string_view path) const;

  const std::map<std::string, NoteStamp>& files() const { return files_; }
  std::uint64_t bytes() const { return bytes_; }  // of all
  size_t reads() const { return reads_; }         // files that were read so far

 private:
  class Walk;
  // What of a file there is to put.
  std::optional<Note> take(const std::string& path, const sys::FileStatus& status,
                           std::int64_t now_ns, Changes& changes);
  void drop(std::map<std::string, NoteStamp>::iterator file);

  const sys::Fd root_;
  const size_t max_names_;
  std::map<std::string, NoteStamp> files_;  // by path
  std::uint64_t bytes_ = 0;
  size_t reads_ = 0;
};

}  // namespace helve::knowledge
