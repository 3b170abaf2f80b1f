// History: the prompts of earlier conversations, in a file that several processes share. A line per
// entry, "\n" and "\\" escaped; what is damaged is skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::terminal {

constexpr size_t kMostEntries = 1000;
constexpr size_t kMostEntry = 16u << 10;  // bytes; longer ones are not kept

class History {
 public:
  explicit History(std::string path) : path_(std::move(path)) {}

  // Oldest first; none when there is no file.
  Result<std::vector<std::string>> load() const;
  // Not what is blank, too long, or the same as the last one.
  Result<void> add(std::string_view entry) const;

 private:
  Result<std::string> read() const;
  std::string path_;
};

}  // namespace helve::terminal
