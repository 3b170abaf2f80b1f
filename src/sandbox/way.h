// Way: how a path is found, link by link.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

// The links that are met on the way to a path, each by its own real path, in the order in which
// they are met; and where the way ends: what the path leads to, or the first name that is missing.
struct Way {
  std::vector<std::string> links = {};
  std::string end = "/";
  bool is_there = true;
  bool is_closed = false;  // nobody knows: we may not search the directory of the end
};

// Finds ways. Looks at each directory only once, so it is made for one look at all of them.
class Walker {
 public:
  Way way_to(const std::string& path);

 private:
  std::unordered_set<std::string> directories_;  // that were met
};

// The directories in which a change makes the path lead elsewhere, or lets what it leads to come or
// go. What is above them counts, too.
std::vector<std::string> directories_on(const Way& way);

// For a path that we were not allowed to look at. Fails where a command could: it opens again what
// is closed, where that is its own and can be written, and nobody knows what lies behind.
Result<void> check_closed(const std::string& path);

}  // namespace helve::sandbox
