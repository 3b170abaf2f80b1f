// Kinds of files by their names, as ripgrep calls them: "py" is *.py and *.pyi.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "search/glob_set.h"

namespace helve::search {

struct FileType {
  std::string_view names;  // separated by spaces; the first is the usual one
  std::string_view globs;  // separated by spaces
};

std::span<const FileType> file_types();

// The globs of a type. invalid_argument names the nearest type that there is.
Result<GlobSet> globs_of_type(std::string_view name);

}  // namespace helve::search
