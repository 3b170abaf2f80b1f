// The order of paths: part by part, so that what a directory holds stands together.
#pragma once

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

}  // namespace helve::search
