// Contents: what small text files of a small tree held when they were last searched, so that the
// next search need not open and read them. A file is known while its stamp is what it was when it
// was read.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "search/index_format.h"

namespace helve::search {

class Contents {
 public:
  using Text = std::shared_ptr<const std::string>;
  static constexpr size_t kMostBytes = 32u << 20;
  static constexpr size_t kOverhead = 300;  // bytes of memory for an entry and its path, about

  // Of memory: about as much as a tree has whose files stay there.
  explicit Contents(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // Null when it is not known, or the file is another one by now.
  Text find(std::string_view path, const FileStamp& now);
  // `stamp` is from before the file was read, and `moment` from before it was known that the file
  // did not change. When there is no room everything else is forgotten: most of it is of files that
  // are no more, or the tree is not small.
  void keep(std::string_view path, const FileStamp& stamp, std::string_view text,
            std::uint64_t moment);
  // Something happened to the file, even if its stamp does not tell.
  void forget(std::string_view path);
  // Another one whenever something was forgotten.
  std::uint64_t moment() const { return moment_; }

 private:
  struct Entry {
    FileStamp stamp;
    Text text;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void erase(std::string_view path);

  const size_t most_bytes_;
  std::mutex mutex_;  // guards all that follows
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
  size_t bytes_ = 0;
  std::atomic<std::uint64_t> moment_ = 0;  // written with the lock held
};

}  // namespace helve::search
