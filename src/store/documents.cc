#include "store/documents.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace helve::store {
namespace {

Error wrong_path(std::string_view path, std::string_view what, std::string_view hint) {
  return {.code = Code::invalid_argument,
          .message = fmt::format("'{}' {}", escape_for_display(preview(path, 200)), what),
          .hint = std::string(hint),
          .type = "invalid_path"};
}

// Also those of Unicode that end lines or turn the direction of writing: two paths are not to look
// alike by them. What joins letters is part of many a word.
bool has_control(std::string_view text) {
  for (size_t length; !text.empty(); text.remove_prefix(length)) {
    length = char_length(text);
    const char32_t c = code_point(text.substr(0, length));
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
        (c >= 0x2066 && c <= 0x2069))
      return true;
  }
  return false;
}

bool is_result_id(std::string_view path) {
  constexpr std::string_view kPrefix = "lr_";
  return path.starts_with(kPrefix) && path.size() > kPrefix.size() &&
         std::ranges::all_of(path.substr(kPrefix.size()),
                             [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<std::string> document_path(std::string_view path) {
  constexpr std::string_view kRelative = "documents have paths such as notes/today.md";
  if (path.size() > kMaxDocumentPath)
    return wrong_path(path, fmt::format("has {} bytes, too many for a path", path.size()),
                      fmt::format("at most {} bytes", kMaxDocumentPath));
  if (!is_utf8(path)) return wrong_path(path, "is not UTF-8", kRelative);
  if (has_control(path)) return wrong_path(path, "has a control character in it", kRelative);
  if (path.starts_with('/')) return wrong_path(path, "begins with a slash", kRelative);
  std::string key;
  for (std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return wrong_path(path, "has '..' in it", kRelative);
    if (!key.empty()) key += '/';
    key += part;
  }
  if (key.empty()) return wrong_path(path, "names no document", kRelative);
  if (is_result_id(key))
    return Error{.code = Code::invalid_argument,
                 .message = fmt::format("'{}' is a stored result, not a document", key),
                 .hint = fmt::format(R"(store it first: kb_add {{"source":"{}","path":"…"}})", key),
                 .type = "stored_result"};
  return key;
}

Error version_conflict(const DocumentVersion& latest, std::uint64_t expected) {
  return {.code = Code::conflict,
          .message =
              fmt::format("'{}' is at version {}, not {}: it has changed since",
                          escape_for_display(preview(latest.path, 200)), latest.number, expected),
          .hint = "read it again, and make the change on what it holds now",
          .type = "version_conflict"};
}

Result<DocumentVersion> write_document(Documents& documents, const Draft& draft) {
  return std::move(TRY(documents.write({&draft, 1})).front());
}

}  // namespace helve::store
