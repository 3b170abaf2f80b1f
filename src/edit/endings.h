// Line endings: which one a place in a file has, and lines brought to it.
#pragma once

#include <string>
#include <string_view>

namespace helve::edit {

// Finds endings for regions of a text, from its start to its end, in one pass over it. Borrows it.
class Endings {
 public:
  explicit Endings(std::string_view content) : content_(content) {}
  // Of the first line that ends at or after `begin`, else of the last one; empty when the content
  // has none. `begin` never decreases.
  std::string_view near(size_t begin);

 private:
  std::string_view content_;
  size_t newline_ = 0;  // where the ending ends
  bool found_ = false;
  std::string_view ending_;
};

// The line with this ending instead of its own. A line without one gets none, and an empty ending
// changes nothing.
void append_with_ending(std::string& out, std::string_view line, std::string_view ending);

// Old files whose lines end in a carriage return alone are worked on as if these were newlines,
// which are as long.
class LoneReturns {
 public:
  explicit LoneReturns(std::string_view content);
  bool active() const { return active_; }
  // For a text of the file, and for one that was given: there \r\n is one ending too.
  void as_newlines(std::string& content) const;
  std::string given_as_newlines(std::string_view text) const;
  void as_returns(std::string& content) const;

 private:
  bool active_;
};

}  // namespace helve::edit
