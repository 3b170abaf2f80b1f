#include "terminal/line_editor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostCompletions = 1000;

std::string_view common_start(const std::vector<Candidate>& candidates) {
  std::string_view common = candidates[0].text;
  for (const Candidate& each : candidates) {
    const auto differ = std::ranges::mismatch(common, each.text);
    common = cut_utf8(common, static_cast<size_t>(differ.in1 - common.begin()));
  }
  return common;
}

}  // namespace

LineEditor::LineEditor(EditorOptions options, Write write)
    : options_(std::move(options)),
      write_(std::move(write)),
      painter_([this](std::string_view bytes) { out_ += bytes; }) {}

Edited LineEditor::feed(std::string_view bytes) {
  for (KeyPress& key : decoder_.feed(bytes)) keys_.push_back(std::move(key));
  return run();
}

Edited LineEditor::nothing_more() {
  for (KeyPress& key : decoder_.nothing_more()) keys_.push_back(std::move(key));
  return run();
}

Edited LineEditor::run() {
  Edited edited;
  while (!keys_.empty() && edited.kind == Edited::Kind::going_on) {
    const KeyPress key = std::move(keys_.front());
    keys_.pop_front();
    edited = press(key);
  }
  paint();
  flush();
  return edited;
}

// Looks at the entries before the one with this number.
void LineEditor::search_older(size_t below) {
  if (search_->wanted.empty()) return;
  for (size_t i = below; i > 0; --i) {
    if (history_[i - 1].find(search_->wanted) == std::string::npos) continue;
    search_->at = i - 1;
    search_->is_found = true;
    buffer_.replace(history_[i - 1]);
    buffer_.move_to(history_[i - 1].find(search_->wanted));
    return;
  }
  search_->is_found = false;
}

Edited LineEditor::enter() {
  const std::string& text = buffer_.text();
  if (buffer_.cursor() == text.size() && text.ends_with('\\')) {
    buffer_.replace_before(text.size() - 1, "\n");
    return {};
  }
  if (trim(text).empty() && !options_.takes_empty) return {};
  Edited edited{Edited::Kind::submitted, pastes_.expanded(text)};
  leave();
  return edited;
}

// What is cleared can be undone.
Edited LineEditor::interrupt() {
  if (buffer_.is_empty()) return {Edited::Kind::interrupted};
  buffer_.replace("");
  history_at_ = history_.size();
  return {};
}

Edited LineEditor::end_of_input() {
  if (!buffer_.is_empty()) {
    buffer_.erase_right();
    return {};
  }
  leave();
  return {Edited::Kind::ended};
}

// Only the text stays on the screen.
void LineEditor::leave() {
  buffer_.move_to(buffer_.text().size());
  if (!options_.leaves_submitted)
    erase();
  else if (is_shown_)
    painter_.paint(input_frame({.prompt = options_.prompt,
                                .text = buffer_.text(),
                                .cursor = buffer_.cursor(),
                                .columns = options_.columns,
                                .rows = options_.rows}));
  if (options_.leaves_submitted) {
    painter_.leave();
    is_shown_ = below_partial_row_ = false;
    output_column_ = 0;
  }
  buffer_.clear();
  pastes_.clear();
  menu_.reset();
  search_.reset();
  draft_.clear();
  history_at_ = history_.size();
}

void LineEditor::erase_left() {
  const std::string_view before = std::string_view(buffer_.text()).substr(0, buffer_.cursor());
  if (const size_t label = pastes_.label_at_end(before))
    buffer_.replace_before(before.size() - label, "");
  else
    buffer_.erase_left();
}

void LineEditor::complete(bool backwards) {
  if (!menu_) {
    if (!options_.complete) return;
    Completions found = options_.complete(buffer_.text(), buffer_.cursor());
    if (found.candidates.empty() || found.start > buffer_.cursor()) return;
    found.candidates.resize(std::min(found.candidates.size(), kMostCompletions));
    const std::string_view common = common_start(found.candidates);
    if (common.size() > buffer_.cursor() - found.start) buffer_.replace_before(found.start, common);
    if (found.candidates.size() == 1) return;
    menu_ = Menu{std::move(found.candidates)};
    menu_start_ = found.start;
    return;
  }
  const size_t count = menu_->candidates.size();
  if (!menu_->chosen)
    menu_->chosen = backwards ? count - 1 : 0;
  else
    menu_->chosen = (*menu_->chosen + (backwards ? count - 1 : 1)) % count;
  buffer_.replace_before(menu_start_, menu_->candidates[*menu_->chosen].text);
}

// Moves within the text as long as there are lines, then to the entries before or after.
void LineEditor::recall(bool older) {
  if (older ? buffer_.move_up() : buffer_.move_down()) return;
  if (older ? history_at_ == 0 : history_at_ >= history_.size()) return;
  if (history_at_ == history_.size()) draft_ = buffer_.text();
  history_at_ = older ? history_at_ - 1 : history_at_ + 1;
  buffer_.replace(history_at_ == history_.size() ? draft_ : history_[history_at_]);
}

void LineEditor::set_history(std::vector<std::string> entries) {
  history_ = std::move(entries);
  history_at_ = history_.size();
}

void LineEditor::remember(std::string_view entry) {
  if (history_.empty() || history_.back() != entry) history_.emplace_back(entry);
  history_at_ = history_.size();
}

void LineEditor::set_text(std::string text) {
  buffer_.replace(std::move(text));
  paint();
  flush();
}

void LineEditor::set_status(std::vector<std::string> rows) {
  status_ = std::move(rows);
  paint();
  flush();
}

void LineEditor::ask(std::string question, std::string letters) {
  question_ = std::move(question);
  letters_ = std::move(letters);
  menu_.reset();
  search_.reset();
  paint();
  flush();
}

void LineEditor::set_prompt(std::string prompt) {
  options_.prompt = std::move(prompt);
  paint();
  flush();
}

void LineEditor::show() {
  if (!is_shown_ && output_column_ > 0) {
    out_ += "\r\n";
    below_partial_row_ = true;
  }
  is_shown_ = true;
  paint();
  flush();
}

void LineEditor::hide() {
  erase();
  flush();
}

void LineEditor::erase() {
  if (!is_shown_) return;
  is_shown_ = false;
  painter_.erase();
  if (below_partial_row_) out_ += fmt::format("\x1b[A\x1b[{}C", output_column_);
  below_partial_row_ = false;
}

void LineEditor::print(std::string_view output) {
  if (output.empty()) return;
  const bool was_shown = is_shown_;
  erase();
  out_ += output;
  const size_t newline = output.rfind('\n');
  if (newline != output.npos) output_column_ = 0;
  output_column_ += columns_of(newline == output.npos ? output : output.substr(newline + 1));
  output_column_ %= std::max<size_t>(1, options_.columns);
  if (was_shown) show();
  flush();
}

void LineEditor::resize(size_t columns, size_t rows) {
  if (columns == options_.columns && rows == options_.rows) return;
  options_.columns = columns;
  options_.rows = rows;
  painter_.erase_after_resize(columns);
  paint();
  flush();
}

void LineEditor::redraw() {
  if (!is_shown_) return;
  painter_.erase();
  out_ += "\x1b[H\x1b[2J";
  below_partial_row_ = false;
  output_column_ = 0;
  paint();
  flush();
}

void LineEditor::flush() {
  if (!out_.empty()) write_(out_);
  out_.clear();
}

void LineEditor::paint() {
  if (!is_shown_) return;
  if (!letters_.empty()) {
    painter_.paint(input_frame({.status = status_,
                                .prompt = with_look(yellow, "? ", options_.colours),
                                .text = question_,
                                .cursor = question_.size(),
                                .columns = options_.columns,
                                .rows = options_.rows}));
    return;
  }
  std::string note;
  if (search_)
    note =
        fmt::format("{}: {}", search_->is_found ? "search" : "not found", shown(search_->wanted));
  painter_.paint(input_frame({.status = status_,
                              .prompt = options_.prompt,
                              .text = buffer_.text(),
                              .hint = options_.hint,
                              .cursor = buffer_.cursor(),
                              .note = note,
                              .menu = menu_ ? &*menu_ : nullptr,
                              .columns = options_.columns,
                              .rows = options_.rows,
                              .colours = options_.colours}));
}

}  // namespace helve::terminal
