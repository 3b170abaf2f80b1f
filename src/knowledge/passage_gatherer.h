// PassageGatherer: takes the lines of a document one by one, with how good a place to cut is before
// each, and makes passages of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/passage.h"

namespace helve::knowledge {

// A place before a line: the better to cut, the larger.
enum class Cut : unsigned char { anywhere, part, block };

class PassageGatherer {
 public:
  // Lines may be taken back as long as they have no more bytes together.
  static constexpr size_t kHeldBack = 400;

  explicit PassageGatherer(std::string_view document) : document_(document) {}

  // The next line of the document, where it lies there, without its ending.
  void add(std::string_view line, Cut before);
  // The same, of a line that belongs to no passage.
  void skip();
  // What follows belongs to other passages, below this heading. The last `lines` go with it.
  void begin_section(std::string heading, size_t lines);
  // What was added so far goes below this heading too.
  void rename_section(std::string heading) { heading_ = std::move(heading); }

  std::vector<Passage> take();

 private:
  struct Line {
    std::string_view text;
    Cut before;

    size_t bytes() const { return text.size() + 1; }
  };

  size_t waiting() const { return lines_.size() - first_; }
  size_t next_length(size_t end) const;
  void emit(size_t end);
  void emit_all(size_t end);
  void put(std::string_view text, size_t last_line);
  void put_piece(std::string_view text, size_t last_line);

  std::string_view document_;
  std::string heading_;
  std::vector<Line> lines_;  // from first_ on they wait
  size_t first_ = 0;
  size_t number_ = 1;  // of the line at first_, or of the next one
  size_t held_ = 0;    // bytes of the lines that wait
  std::vector<Passage> passages_;
};

}  // namespace helve::knowledge
