// Seen: what each session knows of each file, so that a change that somebody else made since is
// noticed before it is overwritten. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workspace/change.h"
#include "workspace/digest.h"

namespace helve::workspace {

class Seen {
 public:
  static constexpr size_t kMaxFiles = 20'000;        // the least recently used go first
  static constexpr size_t kMaxContents = 32u << 20;  // bytes, of all files
  static constexpr size_t kMaxContent = 1u << 20;    // bytes of one file that are kept

  Seen();

  // For a process that makes one call only.
  void remember_nothing() { remembers_ = false; }
  bool remembers() const { return remembers_; }
  bool is_empty();

  // The session has read or written the file. `content` only when it is the whole of it.
  void note(std::string_view session, std::string_view path, const Version& version,
            std::optional<std::string_view> content);
  // A file has another path now, or is gone; a directory with all that was seen in it.
  enum class Of : bool { file, directory };
  struct Left {
    std::string path;
    std::string to;  // empty: gone
    Of of = Of::file;
  };
  // All at once: each may come to where another was.
  void left(std::string_view session, std::span<const Left> all);
  // What the session has seen below a directory.
  std::vector<std::string> below(std::string_view session, std::string_view directory);

  // Whether the session knows the whole content of this very version.
  bool knows(std::string_view session, std::string_view path, const Version& version);
  // What the session knows of the file's version, if anything.
  std::optional<Version> version(std::string_view session, std::string_view path);

  // The whole content of this very version, as far as the session has seen it and it is kept.
  std::optional<std::string> content(std::string_view session, std::string_view path,
                                     const Version& version);

  struct Answer {
    bool same = true;         // also when the session never saw the file
    std::string before = {};  // what it saw, when that is still known
    bool known = false;       // whether `before` is
  };
  Answer compare(std::string_view session, std::string_view path, const Snapshot& now);

 private:
  struct File {
    std::string key;
    Version version;
    std::optional<Digest> digest;
    std::string content;
    bool has_content = false;
  };
  using Files = std::list<File>;
  static std::string key_of(std::string_view session, std::string_view path);
  void drop_oldest();
  // Those are found at once that are files; for a directory all are looked at.
  std::vector<Files::iterator> find(const std::string& key, Of of);
  void erase(Files::iterator file);

  const std::uint64_t seed_;
  bool remembers_ = true;
  std::mutex mutex_;
  Files files_;                                                  // most recently used first
  std::unordered_map<std::string_view, Files::iterator> index_;  // keys point into files_
  size_t contents_ = 0;                                          // bytes
};

}  // namespace helve::workspace
