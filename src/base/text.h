// Text: UTF-8 that is always valid, cuts that are always between characters, and what helps to name
// things.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// What some programs put before UTF-8 text.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the character that `text` begins with, or 0 when it is not valid UTF-8. Not for
// empty text.
size_t char_length(std::string_view text);
// The code point of one valid character.
char32_t code_point(std::string_view character);
// The opposite. What is no character, such as half a surrogate pair, comes out as invalid UTF-8.
void append_code_point(std::string& out, char32_t code_point);
// The length of the longest valid UTF-8 prefix.
size_t valid_utf8_prefix(std::string_view text);
bool is_ascii(std::string_view text);
inline bool is_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

// Characters are code points; a byte that is not part of one counts as one.

// The longest prefix of at most `bytes` bytes that ends between two characters.
std::string_view cut_utf8(std::string_view text, size_t bytes);
// The longest prefix of at most `count` characters.
std::string_view first_chars(std::string_view text, size_t count);
// The longest suffix of at most `count` characters.
std::string_view last_chars(std::string_view text, size_t count);
size_t count_chars(std::string_view text);
// "text", or its first `count` characters and "…".
std::string preview(std::string_view text, size_t count);

// Safe to show on a terminal and on one line: control characters, escape codes, invalid bytes,
// bidirectional overrides and invisible characters become \n, \x1b, \u{202e} and so on. Printable
// text stays as it is.
std::string escape_for_display(std::string_view text);
// As above, but keeps newlines and tabs: for output that has lines.
std::string escape_lines_for_display(std::string_view text);
// Lossless text of any bytes: each NUL and each byte that is not UTF-8 becomes \xNN, and \ becomes
// \\.
std::string escape_bytes(std::string_view bytes);
// Valid text as it is, and the escaped bytes of what is not valid.
std::string escape_invalid_utf8(std::string_view bytes);
// One word of a shell command that is also safe to show: 'it'\''s', or $'a\x1b' when it holds what
// must not be shown.
std::string shell_quoted(std::string_view text);

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// True when `text` matches `pattern`, where * stands for any characters; linear in practice, never
// exponential.
bool matches_wildcard(std::string_view pattern, std::string_view text);

// The candidate that `word` most likely meant, or empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// "did you mean 'read'?" or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// "1.4 MB", "312 bytes": for people.
std::string human_size(std::uint64_t bytes);

}  // namespace helve
