#include "terminal/prompt.h"

#include "base/text.h"
#include "sys/stream.h"
#include "sys/terminal.h"
#include "terminal/keys.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEscapeWait{40};   // a terminal sends a whole sequence sooner than that
constexpr milliseconds kResizeWait{100};  // how soon a new size is noticed
constexpr size_t kMostLine = kMostText;

std::string without_looks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (text[0] != '\x1b') out += text.substr(0, glyph.bytes);
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

}  // namespace

Prompt::Prompt(PromptOptions options) : options_(std::move(options)) {}
Prompt::Prompt(Prompt&&) noexcept = default;
Prompt::~Prompt() {
  if (editor_) editor_->hide();
}

Prompt Prompt::open(PromptOptions options) {
  Prompt prompt(std::move(options));
  if (prompt.options_.is_dumb) return prompt;
  auto terminal = sys::RawTerminal::open(prompt.options_.input, prompt.options_.output,
                                         std::string(kPastesOn), std::string(kPastesOff));
  if (!terminal) return prompt;
  prompt.terminal_ = std::move(*terminal);
  const sys::TerminalSize size = prompt.terminal_->size();
  if (size.columns > 0) prompt.options_.editor.columns = size.columns;
  if (size.rows > 0) prompt.options_.editor.rows = size.rows;
  prompt.editor_ = std::make_unique<LineEditor>(
      prompt.options_.editor,
      [output = prompt.terminal_.get()](std::string_view bytes) { output->write(bytes); });
  return prompt;
}

Result<Edited> Prompt::read(std::stop_token stop) {
  for (;;) {
    Edited edited = TRY(read_for(kResizeWait, stop));
    if (edited.kind != Edited::Kind::going_on) return edited;
  }
}

Result<Edited> Prompt::read_for(milliseconds longest, std::stop_token stop) {
  if (!editor_) {
    for (;;) {
      Edited edited = TRY(read_plain(stop));
      const bool is_blank = edited.kind == Edited::Kind::submitted && trim(edited.text).empty();
      if (!is_blank || options_.editor.takes_empty) return edited;
    }
  }
  editor_->show();
  Edited edited = editor_->feed("");  // typed ahead
  if (edited.kind != Edited::Kind::going_on) return edited;
  const bool is_waiting = editor_->is_waiting();
  const std::string typed =
      TRY(terminal_->read(is_waiting ? std::min(kEscapeWait, longest) : longest, stop));
  if (const sys::TerminalSize size = terminal_->size(); size.columns > 0 && size.rows > 0)
    editor_->resize(size.columns, size.rows);
  edited = typed.empty() && is_waiting ? editor_->nothing_more() : editor_->feed(typed);
  if (edited.kind != Edited::Kind::suspend) return edited;
  editor_->hide();
  terminal_->suspend();
  return Edited{};
}

// A line that ends with a backslash goes on in the next.
Result<Edited> Prompt::read_plain(std::stop_token stop) {
  Edited edited{Edited::Kind::submitted};
  if (has_ended_) return Edited{Edited::Kind::ended};
  if (!sys::write_all(options_.output, without_looks(options_.editor.prompt)))
    return Error{Code::unavailable, "cannot write the prompt"};
  for (;;) {
    const size_t end = held_.find('\n');
    if (end != held_.npos || has_ended_) {
      std::string line = held_.substr(0, end);
      held_.erase(0, end == held_.npos ? end : end + 1);
      if (line.ends_with('\r')) line.pop_back();
      const bool goes_on = line.ends_with('\\') && !has_ended_;
      if (goes_on) line.back() = '\n';
      edited.text += escape_invalid_utf8(line);
      if (goes_on && edited.text.size() < kMostLine) continue;
      if (has_ended_ && edited.text.empty()) {
        (void)sys::write_all(options_.output, "\n");  // nobody pressed return behind the prompt
        return Edited{Edited::Kind::ended};
      }
      return edited;
    }
    TRY(sys::wait_readable(options_.input, std::nullopt, stop));
    char block[4096];
    const sys::ReadOutcome read = sys::read_some(options_.input, block, sizeof block);
    held_.append(block, read.bytes);
    if (held_.size() > kMostLine)
      return Error{Code::too_large, "the line is longer than 1 MB", "put the text into a file"};
    has_ended_ = read.bytes == 0;
  }
}

}  // namespace helve::terminal
