// Where a path leads that may not exist yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace {

// The absolute `path` without links, as far as it exists; links that lead to nothing are followed,
// too.
std::string real_path(std::string path);

// The links that the way to the absolute `path` leads through, each named without links before it.
std::vector<std::string> links_on_the_way(std::string_view path);

// Whether the way to the absolute `path` leads through the link `link`, which is named without
// links before it.
bool leads_through(std::string_view path, std::string_view link);

// Whether `path` is `directory` or lies below it. Letters in another case count as the same, as on
// some file systems.
bool holds(std::string_view directory, std::string_view path);

}  // namespace helve::workspace
