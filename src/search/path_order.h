// The order of paths: part by part, so that what a directory holds stands together.
#pragma once

#include <ranges>
#include <string_view>

namespace helve::search {

constexpr bool path_less(std::string_view a, std::string_view b) {
  const size_t shorter = a.size() < b.size() ? a.size() : b.size();
  for (size_t i = 0; i < shorter; ++i) {
    if (a[i] == b[i]) continue;
    if (a[i] == '/') return true;
    if (b[i] == '/') return false;
    return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
  }
  return a.size() < b.size();
}

// "" holds all.
constexpr bool is_below(std::string_view directory, std::string_view path) {
  return directory.empty() || (path.size() > directory.size() && path.starts_with(directory) &&
                               path[directory.size()] == '/');
}

// What of a map in this order is at the path or below it, which stands together.
inline auto part_of(auto& map, std::string_view path) {
  const auto first = map.lower_bound(path);
  auto end = first;
  while (end != map.end() && (end->first == path || is_below(path, end->first))) ++end;
  return std::ranges::subrange(first, end);
}

}  // namespace helve::search
