#include "knowledge/passage_gatherer.h"

#include <utility>

#include "base/text.h"
#include "knowledge/markdown_lines.h"

namespace helve::knowledge {
namespace {

// A block that is smaller than this goes with the one after it: it introduces it.
constexpr size_t kMinBlockBytes = kPassageBytes / 4;

// Up to a space where there is one, else up to a character's end.
std::string_view first_piece(std::string_view text) {
  const std::string_view most = text.substr(0, kPassageBytes);
  const size_t space = most.find_last_of(" \t");
  if (space != most.npos && space > kPassageBytes / 2) return most.substr(0, space + 1);
  return cut_utf8(text, kPassageBytes);
}

}  // namespace

void PassageGatherer::add(std::string_view line, Cut before) {
  if (waiting() == 0 && is_blank(line)) {
    ++number_;
    return;
  }
  lines_.push_back({line, before});
  held_ += lines_.back().bytes();
  while (held_ > 2 * kMaxPassageBytes + kHeldBack && waiting() > 1) emit(lines_.size());
}

void PassageGatherer::skip() {
  emit_all(lines_.size());
  ++number_;
}

void PassageGatherer::begin_section(std::string heading, size_t lines) {
  emit_all(lines_.size() - lines);
  heading_ = std::move(heading);
}

std::vector<Passage> PassageGatherer::take() {
  emit_all(lines_.size());
  return std::move(passages_);
}

void PassageGatherer::emit_all(size_t end) {
  const size_t stay = lines_.size() - end;
  while (waiting() > stay) emit(lines_.size() - stay);
}

// How many lines the next passage takes: as many as fit, up to the best place to cut.
size_t PassageGatherer::next_length(size_t end) const {
  size_t best = 1;
  Cut best_cut = Cut::anywhere;
  size_t bytes = 0;
  for (size_t i = first_; i < end; ++i) {
    bytes += lines_[i].bytes();
    if (bytes > kMaxPassageBytes + 1) break;  // the ending of the last line does not count
    Cut cut = i + 1 == end ? Cut::block : lines_[i + 1].before;
    if (cut == Cut::block && bytes < kMinBlockBytes && i + 1 < end) cut = Cut::part;
    const bool fits = bytes <= kPassageBytes + 1;
    if (cut > best_cut || (cut == best_cut && fits)) {
      best = i + 1 - first_;
      best_cut = cut;
    }
  }
  return best;
}

void PassageGatherer::emit(size_t end) {
  const size_t after = first_ + next_length(end);
  size_t last = after - 1;
  while (last > first_ && is_blank(lines_[last].text)) --last;
  const auto offset = static_cast<size_t>(lines_[first_].text.data() - document_.data());
  const std::string_view& last_text = lines_[last].text;
  const auto stop = static_cast<size_t>(last_text.data() - document_.data()) + last_text.size();
  put(document_.substr(offset, stop - offset), number_ + last - first_);

  for (size_t i = first_; i < end && (i < after || is_blank(lines_[i].text)); ++i) {
    held_ -= lines_[i].bytes();
    ++first_;
    ++number_;
  }
  if (first_ <= lines_.size() / 2) return;
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void PassageGatherer::put(std::string_view text, size_t last_line) {
  while (text.size() > kMaxPassageBytes) {  // then it is one line
    const std::string_view piece = first_piece(text);
    put_piece(piece, last_line);
    text.remove_prefix(piece.size());
  }
  put_piece(text, last_line);
}

void PassageGatherer::put_piece(std::string_view text, size_t last_line) {
  if (is_blank(text)) return;
  const auto begin = static_cast<size_t>(text.data() - document_.data());
  passages_.push_back({heading_, std::string(text), begin, number_, last_line});
}

}  // namespace helve::knowledge
