// Pages of a list that is known as a whole. Cursors are opaque to clients: "2" is the third page.
#pragma once

#include <charconv>
#include <optional>
#include <string>

#include "base/result.h"

namespace helve::mcp {

constexpr size_t kMaxCursorBytes = 1024;

// params.cursor: absent, or a string. Anything else is an error.
inline Result<std::optional<std::string_view>> read_cursor(const Json* params) {
  const Json* cursor = params ? find(*params, "cursor") : nullptr;
  if (!cursor || cursor->is_null()) return std::optional<std::string_view>();
  if (!cursor->is_string() || cursor->get_string().size() > kMaxCursorBytes) {
    return Error{Code::invalid_argument, "the cursor must be a string that an earlier page gave"};
  }
  return std::optional<std::string_view>(cursor->get_string());
}

// Which of `pages` pages the cursor means.
inline Result<size_t> find_page(std::optional<std::string_view> cursor, size_t pages) {
  if (!cursor) return size_t{0};
  size_t page = 0;
  const char* end = cursor->data() + cursor->size();
  const auto [stopped, failure] = std::from_chars(cursor->data(), end, page);
  if (failure != std::errc() || stopped != end || page == 0 || page >= pages) {
    return Error{Code::invalid_argument, "no earlier page gave this cursor",
                 "list again from the first page, without a cursor"};
  }
  return page;
}

inline std::string cursor_of(size_t page) { return std::to_string(page); }

}  // namespace helve::mcp
