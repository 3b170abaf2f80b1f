// Trust: which workspace config files the user has read and agreed to. Bound to the place and the
// content, so that a file that changes, or moves, must be agreed to again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::config {

// One line each in a file of mode 0600: the SHA-256 of the content, two spaces, the absolute path.
// Changes by several processes or threads at once are made one after the other.
class TrustStore {
 public:
  struct Entry {
    std::string path;
    std::string hash;
  };

  explicit TrustStore(std::string file) : file_(std::move(file)) {}

  // In the order of agreement; empty when nothing was ever trusted.
  Result<std::vector<Entry>> list() const;
  Result<bool> is_trusted(std::string_view path, std::string_view content) const;
  // `content` is what the user saw. Replaces what was agreed to at this path before.
  Result<void> trust(const std::string& path, std::string_view content);
  // False when the path was not trusted.
  Result<bool> untrust(const std::string& path);

 private:
  Result<sys::Fd> lock() const;
  Result<void> save(const std::vector<Entry>& entries) const;
  std::string file_;
};

}  // namespace helve::config
