// Pastes: long ones stand in the line as a label, and are themselves again when it is submitted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

class Pastes {
 public:
  // What is to be inserted for a paste: itself, or its label.
  std::string label_for(std::string_view pasted);
  // The text with all that the labels stand for.
  std::string expanded(std::string_view text) const;
  // The length of the label that ends at the end of this text; 0: none does.
  size_t label_at_end(std::string_view text) const;
  void clear() { kept_.clear(); }

 private:
  struct Kept {
    std::string label;
    std::string text;
  };
  std::vector<Kept> kept_;
};

}  // namespace helve::terminal
