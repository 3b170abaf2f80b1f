// How a prompt and the text being edited look: broken where the terminal ends, no more rows than
// there is room for, with what is offered below.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/painter.h"

namespace helve::terminal {

struct Candidate {
  std::string text;       // what stands in the line once it is chosen
  std::string note = {};  // what it is, in a few words
};

struct Menu {
  std::vector<Candidate> candidates = {};
  std::optional<size_t> chosen = std::nullopt;
};

struct InputView {
  std::span<const std::string> status = {};  // rows above the prompt; the last ones count most
  std::string_view prompt = {};              // may hold looks of ours
  std::string_view text = {};
  std::string_view hint = {};  // what is shown while there is no text
  size_t cursor = 0;
  std::string_view note = {};  // a row below the text; empty: none
  const Menu* menu = nullptr;
  size_t columns = 80;
  size_t rows = 24;
  bool colours = false;
};

Frame input_frame(const InputView& view);

}  // namespace helve::terminal
