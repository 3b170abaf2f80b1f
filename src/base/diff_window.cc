#include "base/diff_window.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace helve {

namespace {

constexpr size_t kBlock = 4096;  // bytes compared at once

size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  size_t at = 0;
  while (end - at >= kBlock && std::memcmp(a.data() + at, b.data() + at, kBlock) == 0) at += kBlock;
  while (at < end && a[at] == b[at]) ++at;
  return at;
}

size_t common_suffix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  const char* const a_end = a.data() + a.size();
  const char* const b_end = b.data() + b.size();
  size_t size = 0;
  while (end - size >= kBlock &&
         std::memcmp(a_end - size - kBlock, b_end - size - kBlock, kBlock) == 0)
    size += kBlock;
  while (size < end && a[a.size() - size - 1] == b[b.size() - size - 1]) ++size;
  return size;
}

// The start of the line that holds `at`, and then `lines` lines further up.
size_t line_start(std::string_view text, size_t at, size_t lines) {
  for (;; --lines) {
    while (at > 0 && text[at - 1] != '\n') --at;
    if (at == 0 || lines == 0) return at;
    --at;
  }
}

// Past the next newline from `at` on, and then `lines` lines further down.
size_t line_end(std::string_view text, size_t at, size_t lines) {
  for (;; --lines) {
    const size_t newline = text.find('\n', at);
    if (newline == text.npos) return text.size();
    at = newline + 1;
    if (lines == 0) return at;
  }
}

}  // namespace

Result<DiffWindow> diff_window(std::string_view old_text, std::string_view new_text, size_t context,
                               size_t most_lines) {
  const size_t prefix = common_prefix(old_text, new_text);
  if (prefix == old_text.size() && prefix == new_text.size()) return DiffWindow{};
  const size_t begin = line_start(old_text, prefix, context);
  const size_t suffix = common_suffix(old_text.substr(prefix), new_text.substr(prefix));
  // A newline in the common suffix ends a line on both sides.
  const size_t old_end = line_end(old_text, old_text.size() - suffix, context);
  const size_t new_end = new_text.size() - (old_text.size() - old_end);
  const std::string_view old_part = old_text.substr(begin, old_end - begin);
  const std::string_view new_part = new_text.substr(begin, new_end - begin);
  if (most_lines < old_part.size() + new_part.size() &&
      most_lines < count_lines(old_part) + count_lines(new_part))
    return Error{Code::too_large, fmt::format("what differs has more than {} lines", most_lines)};
  return DiffWindow{split_lines(old_part), split_lines(new_part),
                    count_newlines(old_text.substr(0, begin))};
}

DiffWindow diff_window(std::string_view old_text, std::string_view new_text, size_t context) {
  return *diff_window(old_text, new_text, context, SIZE_MAX);
}

}  // namespace helve
