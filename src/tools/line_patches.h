// Line patches as tools take them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "edit/apply.h"
#include "tool/make.h"

namespace helve::tools {

constexpr std::int64_t kMaxLinePatches = 1000;

struct LinePatchItem {
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::string content;

  static constexpr auto schema() {
    return object(
        "Lines that follow each other.",
        arg<&LinePatchItem::start_line>("First line, from 1").min(1),
        arg<&LinePatchItem::end_line>("Last line to replace; 0 inserts before start_line").min(0),
        arg<&LinePatchItem::content>("The new lines; empty deletes"));
  }
};

// All of them, counted as the lines are in `content`; an error when they change nothing. `path` is
// for messages.
Result<edit::Patched> apply_items(std::string content, std::span<const LinePatchItem> items,
                                  std::string_view path);

}  // namespace helve::tools
