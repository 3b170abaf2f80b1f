#include "edit/lines.h"

#include <algorithm>
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

void append_splice(std::string& out, const LineIndex& index, const Splice& splice) {
  for (size_t i = 0; i < splice.lines.size(); ++i) {
    const NewLine& line = splice.lines[i];
    // An inserted line ends as the one before it does, a new one as the one it replaces.
    const size_t model = splice.begin == splice.end ? std::max<size_t>(splice.begin, 1) - 1
                                                    : std::min(splice.begin + i, splice.end - 1);
    std::string_view ending = line.as_written ? "\n" : ending_at(index, model);
    if (ending.empty() || line.text.ends_with('\r')) ending = "\n";
    if (!out.empty() && out.back() != '\n') out += ending;  // the file's last line had none
    out += line.text;
    const bool last = i + 1 == splice.lines.size() && splice.end == index.size();
    if (!(line.open_end && last)) out += ending;
  }
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : text_(text) {
  starts_.reserve(text.size() / 32 + 2);
  starts_.push_back(0);
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* at = begin; at < end;) {
    const void* const newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
    at = newline ? static_cast<const char*>(newline) + 1 : end;
    starts_.push_back(static_cast<size_t>(at - begin));
  }
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

std::string splice_lines(const LineIndex& index, std::span<const Splice> splices) {
  size_t added = 0;
  for (const Splice& splice : splices)
    for (const NewLine& line : splice.lines) added += line.text.size() + 2;
  std::string out;
  out.reserve(index.text().size() + added);
  size_t line = 0;
  for (const Splice& splice : splices) {
    out += index.text().substr(index.start(line), index.start(splice.begin) - index.start(line));
    append_splice(out, index, splice);
    line = splice.end;
  }
  out += index.text().substr(index.start(line));
  return out;
}

}  // namespace helve::edit
