// The repository of git that a directory belongs to. Does not run git.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::search {

struct Repository {
  std::string top;        // absolute: where its working tree begins
  std::string directory;  // absolute: .git, or where a file of that name leads
};

// Of the directory or the nearest one above it; nothing when there is none.
std::optional<Repository> repository_of(std::string_view absolute_directory);

}  // namespace helve::search
