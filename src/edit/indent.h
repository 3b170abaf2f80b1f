// Shift: how the indentation of a text differs from that of the lines it stands for, when it is the
// same difference on every line; and new lines brought to where these are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace helve::edit {

// What two lines begin with: as it was given, and as the file has it.
struct IndentPair {
  std::string_view given;
  std::string_view actual;
};

struct Shift {
  std::string add;     // the file has this more, before what was given
  std::string remove;  // the file lacks this, which was given
  // When one side uses tabs where the other uses spaces: columns of a tab, and how many columns the
  // file has more. 0: not so.
  int tab = 0;
  int columns = 0;
  bool tabs = false;  // the file is the one with tabs

  bool none() const { return add.empty() && remove.empty() && tab == 0; }
  // A line as given, indented as the file does it. A blank line stays as it is.
  std::string apply(std::string_view line) const;
};

// Nothing when the lines do not differ in the same way.
std::optional<Shift> uniform_shift(std::span<const IndentPair> lines);

}  // namespace helve::edit
