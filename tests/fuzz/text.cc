// The text functions: whatever the bytes, what comes out is valid, in bounds and safe to show.
#include "base/text.h"

#include "base/json.h"
#include "base/result.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

constexpr size_t kMostPattern = 256;  // bytes; rules are not longer

void check_utf8(std::string_view text) {
  const size_t valid = valid_utf8_prefix(text);
  expect(valid <= text.size(), "the valid prefix is a prefix");
  expect(is_utf8(text.substr(0, valid)), "the valid prefix is valid");
  expect(count_chars(text.substr(0, valid)) <= valid, "a character has at least one byte");
}

void check_cuts(std::string_view text, size_t count) {
  const std::string_view cut = cut_utf8(text, count);
  expect(cut.size() <= count && text.starts_with(cut), "a cut is a prefix within its limit");
  const std::string_view first = first_chars(text, count);
  expect(text.starts_with(first) && count_chars(first) <= count,
         "no more characters than asked for");
  if (!is_utf8(text)) return;
  expect(is_utf8(cut), "a cut is between characters");
  expect(cut.size() == text.size() || count - cut.size() < 4, "a cut is as long as it can be");
  expect(is_utf8(first), "a character is whole");
  expect(first.size() == text.size() || count_chars(first) == count,
         "as many characters as asked for");
  expect(is_utf8(preview(text, count)), "a preview is valid");
}

void check_escapes(std::string_view text) {
  const std::string line = escape_for_display(text);
  expect(is_utf8(line), "what is shown is valid", line);
  const std::string lines = escape_lines_for_display(text);
  expect(is_utf8(lines), "what is shown is valid", lines);
  for (const unsigned char c : line)
    expect(c >= 0x20 && c != 0x7f, "no control character is shown", line);
  for (const unsigned char c : lines) {
    expect((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t', "no control character is shown",
           lines);
  }
  const std::string valid = escape_invalid_utf8(text);
  expect(is_utf8(valid), "escaped bytes are valid");
  if (is_utf8(text)) expect(valid == text, "valid text stays as it is");

  std::string json;
  append_json_string(json, text);
  const Result<Json> parsed = parse_json(json);
  expect(parsed && parsed->is_string(), "a JSON string is a JSON string", json);
  if (is_utf8(text)) expect(parsed->get_string() == text, "a JSON string is the text", json);
}

void check_words(std::string_view text) {
  const std::string_view trimmed = trim(text);
  expect(trim(trimmed) == trimmed, "trimming twice is trimming once");
  const std::vector<std::string_view> parts = split(text, '\n');
  expect(join(std::vector<std::string>(parts.begin(), parts.end()), "\n") == text,
         "joining undoes splitting");
  expect(matches_wildcard("*", text), "* matches everything");
  const std::string_view start = text.substr(0, kMostPattern);
  expect(matches_wildcard(start, start), "a text matches itself");
  expect(equals_ignoring_case(text, text), "a text equals itself");
  const std::string_view known[] = {"read", "write", "ls", "read_large_result"};
  const std::string_view near = nearest(text, known);
  expect(near.empty() || std::find(std::begin(known), std::end(known), near) != std::end(known),
         "the nearest word is a known one");
  if (parts.size() > 1) matches_wildcard(parts[0].substr(0, kMostPattern), parts[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_utf8(text);
  for (const size_t count : {size_t{0}, size_t{1}, size / 2, size}) check_cuts(text, count);
  check_escapes(text);
  check_words(text);
  return 0;
}
