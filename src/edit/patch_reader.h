// What both readers of patches share: a cursor over lines, and errors that name the line.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "edit/patch.h"

namespace helve::edit {

constexpr std::string_view kBeginPatch = "*** Begin Patch";
constexpr std::string_view kEndPatch = "*** End Patch";

class PatchReader {
 public:
  // The lines without newlines; `first` is the number of the first one in the patch, from 1.
  PatchReader(std::span<const std::string_view> lines, size_t first)
      : lines_(lines), first_(first) {}

  bool done() const { return at_ == lines_.size(); }
  std::string_view line() const { return lines_[at_]; }
  // A line further down; empty past the end.
  std::string_view peek(size_t ahead = 1) const {
    return at_ + ahead < lines_.size() ? lines_[at_ + ahead] : std::string_view();
  }
  void next() { ++at_; }
  size_t number() const { return first_ + at_; }
  size_t left() const { return lines_.size() - at_; }

 private:
  std::span<const std::string_view> lines_;
  size_t first_;
  size_t at_ = 0;
};

Error bad_patch(size_t line, std::string_view what, std::string_view hint);

// The numbers of "@@ -12,3 +12,4 @@ …".
struct HunkRange {
  size_t old_line = 0, old_count = 1, new_line = 0, new_count = 1;
};
// False when the line is no such header.
bool parse_range(std::string_view header, HunkRange& range);

// "@@", "@@ context" or "@@ context @@" into the anchor; nothing else. True for any of them.
bool parse_anchor(std::string_view header, std::string_view& anchor);

// Lines of a hunk that begin with ' ', '+', '-' or are empty, up to the next thing. Empty lines at
// its end are no part of it.
enum class Form : unsigned char { envelope, unified };
void read_hunk_lines(PatchReader& reader, Hunk& hunk, Form form);

Result<std::vector<FilePatch>> parse_envelope(PatchReader& reader);
Result<std::vector<FilePatch>> parse_unified(PatchReader& reader, std::string_view path);

}  // namespace helve::edit
