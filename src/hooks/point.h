// Point: when a hook script runs. A script's name begins with the name of its point.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace helve::hooks {

enum class Point : unsigned char { before_prompt, after_response, before_tool, after_tool };
constexpr std::array<std::string_view, 4> kPointNames = {"before_prompt", "after_response",
                                                         "before_tool", "after_tool"};
constexpr std::string_view name_of(Point point) { return kPointNames[static_cast<size_t>(point)]; }

// Whether it may forbid what it is told; the others only observe.
constexpr bool is_guard(Point point) {
  return point == Point::before_prompt || point == Point::before_tool;
}

}  // namespace helve::hooks
