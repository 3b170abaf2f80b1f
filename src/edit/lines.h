// A text as numbered lines, found once, and what becomes of it when some of them are replaced.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::edit {

// Borrows the text, which is smaller than 4 GB.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  std::string_view text() const { return text_; }
  size_t size() const { return starts_.size() - 1; }
  // With its ending.
  std::string_view whole(size_t line) const {
    return text_.substr(starts_[line], starts_[line + 1] - starts_[line]);
  }
  // Without the newline; a carriage return before it stays.
  std::string_view line(size_t line) const {
    const std::string_view text = whole(line);
    return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
  }
  size_t start(size_t line) const { return starts_[line]; }

  // Makes find() fast, for those who look for many lines.
  void hash_lines();
  // The first line from `from` on that is exactly this text; size() when there is none.
  size_t find(std::string_view text, size_t from) const;

 private:
  std::string_view text_;
  std::vector<std::uint32_t> starts_;  // of each line, and the end of the text
  std::vector<std::uint32_t> hashes_;  // of each line, or none at all
};

struct NewLine {
  std::string text;         // without an ending; a carriage return at its end is one
  bool as_written = false;  // ends in \n, whatever its neighbours end in
  bool open_end = false;    // no ending, when it is the last of the file
};

// Lines [begin, end) give way to others; begin == end inserts before a line.
struct Splice {
  size_t begin = 0;
  size_t end = 0;
  std::vector<NewLine> lines;
  size_t rank = 0;  // among those at the same place
};

// Bytes [begin, end) of a text give way to others.
struct ByteSplice {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

// Splices are in order and do not overlap. A new line ends as the line does that it replaces, or
// its neighbour.
std::vector<ByteSplice> byte_splices_of(const LineIndex& index, std::span<const Splice> splices);

// Replacements are in order and do not overlap. In place, since to fill a second buffer takes
// longer than to move what lies behind the first change.
void replace_parts(std::string& text, std::span<const ByteSplice> replacements);

}  // namespace helve::edit
