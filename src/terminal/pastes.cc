#include "terminal/pastes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostLines = 10;  // of a paste that is shown
constexpr size_t kMostChars = 1000;

}  // namespace

std::string Pastes::label_for(std::string_view pasted) {
  const size_t lines = count_lines(pasted);
  const size_t chars = count_chars(pasted);
  if (lines <= kMostLines && chars <= kMostChars) return std::string(pasted);
  const std::string what =
      lines > 1 ? fmt::format("{} lines", lines) : fmt::format("{} characters", chars);
  const auto is_taken = [&](const std::string& label) {
    return std::ranges::find(kept_, label, &Kept::label) != kept_.end();
  };
  std::string label = fmt::format("[pasted {}]", what);
  for (size_t number = 2; is_taken(label); ++number)
    label = fmt::format("[pasted {}, #{}]", what, number);
  kept_.push_back({label, std::string(pasted)});
  return label;
}

std::string Pastes::expanded(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    size_t at = text.size();
    const Kept* first = nullptr;
    for (const Kept& kept : kept_) {
      if (const size_t found = text.find(kept.label); found < at) at = found, first = &kept;
    }
    out += text.substr(0, at);
    if (first == nullptr) break;
    out += first->text;
    text.remove_prefix(at + first->label.size());
  }
  return out;
}

size_t Pastes::label_at_end(std::string_view text) const {
  for (const Kept& kept : kept_) {
    if (text.ends_with(kept.label)) return kept.label.size();
  }
  return 0;
}

}  // namespace helve::terminal
