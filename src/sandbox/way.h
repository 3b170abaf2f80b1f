// Way: how a path is found, link by link.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

namespace helve::sandbox {

// The links that are met on the way to a path, each by its own real path, in the order in which
// they are met; and where the way ends: what the path leads to, or the first name that is missing.
struct Way {
  std::vector<std::string> links = {};
  std::string end = "/";
  bool is_there = true;
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

}  // namespace helve::sandbox
