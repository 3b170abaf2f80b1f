#include "edit/lines.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/quick_hash.h"
#include "edit/fold.h"

namespace helve::edit {

namespace {

// Of the line itself, else of the one before, else of the next; "\n" in a text without any.
std::string_view ending_at(const LineIndex& index, size_t line) {
  const std::string_view text = index.text();
  if (line < index.size()) {
    const std::string_view own = ending_of(index.whole(line));
    if (!own.empty()) return own;
  }
  if (line > 0) return ending_of(index.whole(std::min(line, index.size()) - 1));
  return text.empty() ? "\n" : ending_of(index.whole(0));
}

// `is_open`: what is before it has no ending, as the last line of a file.
std::string text_of(const LineIndex& index, const Splice& splice, bool is_open) {
  std::string out;
  for (size_t i = 0; i < splice.lines.size(); ++i) {
    const NewLine& line = splice.lines[i];
    // An inserted line ends as the one before it does, a new one as the one it replaces.
    const size_t model = splice.begin == splice.end ? std::max<size_t>(splice.begin, 1) - 1
                                                    : std::min(splice.begin + i, splice.end - 1);
    std::string_view ending = line.as_written ? "\n" : ending_at(index, model);
    if (ending.empty() || line.text.ends_with('\r')) ending = "\n";
    if (is_open) out += ending;
    out += line.text;
    const bool last = i + 1 == splice.lines.size() && splice.end == index.size();
    is_open = line.open_end && last;
    if (!is_open) out += ending;
  }
  return out;
}

// Calls back where each newline is.
template <class Found>
void for_each_newline(std::string_view text, Found found) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f, kNewlines = 0x0a0a0a0a0a0a0a0a;
  size_t at = 0;
  // Eight bytes at once: the highest bit of each that is a newline. Lines are too short for memchr.
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, 8);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    bytes ^= kNewlines;
    std::uint64_t is_newline = ~(((bytes & kLow) + kLow) | bytes | kLow);
    for (; is_newline != 0; is_newline &= is_newline - 1)
      found(at + static_cast<size_t>(std::countr_zero(is_newline)) / 8);
  }
  for (; at < text.size(); ++at)
    if (text[at] == '\n') found(at);
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : text_(text) {
  starts_.reserve(text.size() / 32 + 2);
  starts_.push_back(0);
  for_each_newline(text, [&](size_t at) { starts_.push_back(static_cast<std::uint32_t>(at + 1)); });
  if (starts_.back() != text.size()) starts_.push_back(static_cast<std::uint32_t>(text.size()));
}

void LineIndex::hash_lines() {
  hashes_.reserve(size());
  for (size_t i = 0; i < size(); ++i)
    hashes_.push_back(static_cast<std::uint32_t>(quick_hash(line(i))));
}

size_t LineIndex::find(std::string_view text, size_t from) const {
  if (hashes_.empty()) {
    // Lengths first: they are all that is read of most lines.
    for (; from < size(); ++from) {
      const size_t length = starts_[from + 1] - starts_[from];
      if (length - text.size() <= 1 && line(from) == text) break;
    }
    return from;
  }
  const auto hash = static_cast<std::uint32_t>(quick_hash(text));
  for (; from < size(); ++from)
    if (hashes_[from] == hash && line(from) == text) break;
  return from;
}

std::vector<ByteSplice> byte_splices_of(const LineIndex& index, std::span<const Splice> splices) {
  std::vector<ByteSplice> replacements;
  replacements.reserve(splices.size());
  size_t end = 0;
  char before = '\n';  // the last character of the new text so far
  for (const Splice& splice : splices) {
    ByteSplice part{index.start(splice.begin), index.start(splice.end), {}};
    if (part.begin > end) before = index.text()[part.begin - 1];
    part.text = text_of(index, splice, before != '\n');
    if (!part.text.empty()) before = part.text.back();
    end = part.end;
    replacements.push_back(std::move(part));
  }
  return replacements;
}

void replace_parts(std::string& text, std::span<const ByteSplice> replacements) {
  // What stays after each replacement, and where it goes.
  struct Rest {
    size_t from, size, to;
  };
  std::vector<Rest> rests;
  rests.reserve(replacements.size());
  const size_t old_size = text.size();
  size_t grown = 0, shrunk = 0;
  for (size_t i = 0; i < replacements.size(); ++i) {
    const auto& [begin, end, with] = replacements[i];
    grown += with.size();
    shrunk += end - begin;
    const size_t next = i + 1 < replacements.size() ? replacements[i + 1].begin : old_size;
    rests.push_back({end, next - end, end + grown - shrunk});
  }
  const size_t new_size = old_size + grown - shrunk;
  text.resize(std::max(old_size, new_size));
  const auto move = [&](const Rest& rest) {
    std::memmove(text.data() + rest.to, text.data() + rest.from, rest.size);
  };
  // What moves towards the end makes way for what is before it, and the other way round.
  for (size_t i = rests.size(); i-- > 0;)
    if (rests[i].to > rests[i].from) move(rests[i]);
  for (const Rest& rest : rests)
    if (rest.to < rest.from) move(rest);
  for (size_t i = 0; i < replacements.size(); ++i) {
    const std::string& with = replacements[i].text;
    with.copy(text.data() + rests[i].to - with.size(), with.size());
  }
  text.resize(new_size);
}

}  // namespace helve::edit
