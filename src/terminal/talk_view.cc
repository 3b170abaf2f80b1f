#include "terminal/talk_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/text.h"
#include "terminal/diff_view.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

using Kind = Happening::Kind;

constexpr size_t kMostPromptLines = 12;
constexpr size_t kMostDiffRows = 20;
constexpr size_t kMostResultRows = 200;
constexpr size_t kMostFailedRows = 4;
constexpr size_t kMostNoteLines = 12;
constexpr std::string_view kHintMark = "\nhint: ";
constexpr size_t kMostRunningRows = 4, kMostQueuedRows = 3;
constexpr size_t kMostCalls = 50;            // that are kept for details()
constexpr size_t kMostResult = 32u << 10;    // bytes of each
constexpr size_t kMostThinking = 64u << 10;  // bytes that are held back
constexpr size_t kBytesOfAToken = 4;         // roughly
constexpr std::chrono::milliseconds kWorthTelling{1000};

std::string_view first_line(std::string_view text) {
  text = trim(text);
  return trim(text.substr(0, text.find('\n')));
}

std::string count_of(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string subject_text(const CallView& view) {
  for (const std::string& name : view.subject)
    if (const std::string_view text = string_at(view.arguments, name); !text.empty())
      return std::string(text);
  return "";
}

// What a result comes to, without what the call's line says already: "Created a.txt (2 lines)" is
// "2 lines", "Edited a.txt: 1 replacement" is "1 replacement".
std::string summary_of(const CallView& view, bool is_change) {
  const std::string_view line = first_line(view.result);
  const size_t lines = count_chars(view.result) == 0
                           ? 0
                           : static_cast<size_t>(std::ranges::count(trim(view.result), '\n')) + 1;
  if (lines > 1 && !is_change) return count_of(lines, "line");
  const std::string subject = subject_text(view);
  if (subject.empty() || line.find(subject) == line.npos)
    return std::string(line.ends_with(':') ? line.substr(0, line.size() - 1) : line);
  const size_t open = line.rfind('('), colon = line.find(": ", line.find(subject) + subject.size());
  if (colon != line.npos) return std::string(line.substr(colon + 2));
  if (line.ends_with(')') && open != line.npos)
    return std::string(line.substr(open + 1, line.size() - open - 2));
  return std::string(line.substr(0, line.find(' ')));
}

// How a program ended that a shell would say has failed. 124 is what `timeout` leaves.
std::string ending_of(int status) {
  return status == 124 ? "its time was up" : fmt::format("exit code {}", status);
}

// What the call's line says already is not said again.
std::string without_line(std::string_view text, std::string_view told) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    if (trim(line) != told) out.append(line).append("\n");
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

TalkView::TalkView(const TalkStyle& style, Write write)
    : style_(style),
      write_(std::move(write)),
      markdown_({.colours = style.colours, .width = style.columns - 1},
                [this](std::string_view text) { write_(text); }),
      thoughts_({.width = style.columns - 1, .colours = style.colours},
                [this](std::string_view text) { write_(text); }),
      status_({.colours = style.colours, .columns = style.columns}, {}) {}

void TalkView::resize(size_t columns) {
  if (columns == style_.columns || columns == 0) return;
  style_.columns = columns;
  markdown_.resize(columns - 1);
  thoughts_.resize(columns - 1);
  status_.resize(columns);
}

// A blank row between things of different kinds.
void TalkView::open(Block block) {
  close();
  const bool belongs = block == block_ && (block == Block::calls || block == Block::note);
  if (block_ != Block::none && !belongs) write_("\n");
  block_ = block;
}

void TalkView::close() {
  if (std::exchange(in_text_, false)) {
    if (block_ == Block::thinking)
      thoughts_.end_line();
    else
      markdown_.finish();
  }
  fold_thinking();
}

void TalkView::write_line(std::string_view line) {
  write_(fitted(line, style_.columns - 1) + "\n");
}

void TalkView::show(const Happening& what, Time now) {
  const bool is_own = what.session == session_;
  switch (what.kind) {
    case Kind::prompt:
      if (is_own) show_prompt(what);
      return;
    case Kind::model_asked:
      if (is_own) doing_ = "Waiting";
      return;
    case Kind::text:
      if (is_own) add_text(what.text);
      return;
    case Kind::thinking:
      if (is_own) add_thinking(what.text);
      return;
    case Kind::call_shaped:
      if (!is_own) return;
      if (!what.name.empty()) doing_ = "Preparing " + shown(what.name);
      streamed_ += what.text.size();
      return;
    case Kind::answer:
      if (!is_own) return;
      close();
      tokens_ += what.tokens;
      streamed_ = 0;
      context_ = what.context;
      window_ = what.window;
      return;
    case Kind::call_begun:
      return begin_call(what, now);
    case Kind::call_output:
      return add_output(what);
    case Kind::call_ended:
      return end_call(what);
    case Kind::question_answered:
      open(Block::calls);
      return write_line(indent_of(what) + with_look(dim, shown(what.text), style_.colours));
    case Kind::retry:
      if (is_own) doing_ = "Trying again";
      [[fallthrough]];
    case Kind::warning:
      return add_note(what);
    case Kind::compacted:
      open(Block::note);
      return write_line(indent_of(what) + with_look(dim, "· " + shown(what.text), style_.colours));
    case Kind::subagent_begun:
      open(Block::calls);
      return write_line(indent_of(what) + with_look(cyan, "▸ ", style_.colours) + "sub-agent  " +
                        shown(first_line(what.text)));
    case Kind::subagent_ended:
      open(Block::calls);
      return write_line(
          indent_of(what) +
          with_look(what.is_error ? red : green, what.is_error ? "✗ " : "✓ ", style_.colours) +
          "sub-agent  " + with_look(dim, shown(what.text), style_.colours));
  }
}

std::string TalkView::indent_of(const Happening& what) const {
  return what.session == session_ ? "" : "  ";
}

void TalkView::show_prompt(const Happening& what) {
  unqueue(what.id);
  const bool is_person = what.name == "user";
  if (is_person && !style_.shows_prompts) {
    close();
    block_ = Block::prompt;
    return;
  }
  open(Block::prompt);
  const std::vector<std::string_view> lines = split(trim(what.text), '\n');
  const size_t count = std::min(lines.size(), kMostPromptLines);
  for (size_t i = 0; i < count; ++i) {
    thoughts_.begin_line({i == 0 ? "› " : "  ", cyan}, {"  ", plain});
    if (i == 0 && !is_person) thoughts_.put_all(what.name + ": ", dim);
    thoughts_.put_all(lines[i], is_person ? bold : dim);
    thoughts_.end_line();
  }
  if (count < lines.size())
    write_line(with_look(dim, fmt::format("  … {}", count_of(lines.size() - count, "more line")),
                         style_.colours));
}

// Whole, since what to do stands at the end.
void TalkView::add_note(const Happening& what) {
  open(Block::note);
  const std::string indent(indent_of(what));
  const std::vector<std::string_view> lines = split(trim(what.text), '\n');
  const size_t count = std::min(lines.size(), kMostNoteLines);
  for (size_t i = 0; i < count; ++i) {
    thoughts_.begin_line({indent + (i == 0 ? "! " : "  "), yellow}, {indent + "  ", plain});
    thoughts_.put_all(lines[i], plain);
    thoughts_.end_line();
  }
  if (count < lines.size())
    write_line(indent +
               with_look(dim, fmt::format("  … {}", count_of(lines.size() - count, "more line")),
                         style_.colours));
}

// Broken between words, below a call's line.
void TalkView::write_wrapped(std::string_view text, Look look, const std::string& indent,
                             size_t most) {
  std::string wrapped;
  WordWrap wrap({.width = style_.columns - 1, .colours = style_.colours},
                [&](std::string_view piece) { wrapped += piece; });
  for (const std::string_view line : split(trim(text), '\n')) {
    wrap.begin_line({indent + "  ", plain}, {indent + "  ", plain});
    wrap.put_all(line, look);
    wrap.end_line();
  }
  if (wrapped.ends_with('\n')) wrapped.pop_back();
  std::vector<std::string_view> rows = split(wrapped, '\n');
  const bool is_cut = rows.size() > most;
  rows.resize(std::min(rows.size(), most));
  for (size_t i = 0; i < rows.size(); ++i)
    write_line(i + 1 == rows.size() && is_cut ? fmt::format("{} …", rows[i])
                                              : std::string(rows[i]));
}

// The message on the call's line if it has room there, else below it; the hint, which says the next
// step, in any case.
void TalkView::show_error(CallView view, const std::string& indent, size_t most) {
  const std::string_view text = view.result;
  const size_t end = text.find(kHintMark);
  const std::string_view message = trim(text.substr(0, end));
  const std::string_view rest = end == text.npos ? "" : text.substr(end + 1);
  const LineStyle style{style_.colours, style_.columns - indent.size(), style_.has_keys};
  std::string line = tool_line(view, style);
  const bool is_told = message == view.summary && line.find(shown(message)) != line.npos;
  if (!is_told) {
    view.summary.clear();
    line = tool_line(view, style);
  }
  write_(indent + line + "\n");
  if (!is_told) write_wrapped(message, plain, indent, most);
  if (!rest.empty()) write_wrapped(rest, dim, indent, most);
}

void TalkView::add_text(std::string_view text) {
  doing_ = "Writing";
  streamed_ += text.size();
  if (!style_.shows_text) return;
  if (!in_text_ || block_ != Block::text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
    if (text.empty()) return;
    open(Block::text);
    in_text_ = true;
  }
  markdown_.feed(text);
}

void TalkView::add_thinking(std::string_view text) {
  doing_ = "Thinking";
  streamed_ += text.size();
  if (!style_.shows_text) return;
  if (!shows_thinking_) {
    thinking_ += cut_utf8(text, kMostThinking - std::min(kMostThinking, thinking_.size()));
    return;
  }
  if (!in_text_ || block_ != Block::thinking) {
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
    if (text.empty()) return;
    open(Block::thinking);
    in_text_ = true;
    thoughts_.begin_line({"∴ ", dim}, {"  ", plain});
  }
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() != text.data()) {
      thoughts_.end_line();
      thoughts_.begin_line({"  ", dim}, {"  ", plain});
    }
    thoughts_.put_all(line, dim | italic);
  }
}

void TalkView::fold_thinking() {
  const std::string thought = std::exchange(thinking_, "");
  const std::string_view whole = trim(thought);
  if (whole.empty()) return;
  if (block_ != Block::none && block_ != Block::thinking) write_("\n");
  block_ = Block::thinking;
  const std::string_view line = first_line(whole);
  write_line(with_look(dim | italic, "∴ " + shown(line) + (line.size() < whole.size() ? " …" : ""),
                       style_.colours));
}

void TalkView::note(std::string_view rows) {
  if (rows.empty()) return;
  open(Block::note);
  write_(rows);
  if (!rows.ends_with('\n')) write_("\n");
}

void TalkView::echo(std::string_view line) {
  open(Block::prompt);
  write_line(with_look(cyan, "› ", style_.colours) + shown(line));
}

void TalkView::error(std::string_view message, std::string_view hint) {
  open(Block::note);
  thoughts_.begin_line({"✗ ", red}, {"  ", plain});
  thoughts_.put_all(message, plain);
  thoughts_.end_line();
  if (hint.empty()) return;
  thoughts_.begin_line({"  ", plain}, {"  ", plain});
  thoughts_.put_all(hint, dim);
  thoughts_.end_line();
}

void TalkView::begin_call(const Happening& what, Time now) {
  close();
  Result<Json> arguments = parse_json(what.text);
  running_.push_back({.id = what.session + what.id,
                      .view = {.name = what.name,
                               .arguments = arguments ? std::move(*arguments) : Json(what.text),
                               .subject = what.subject},
                      .begun = now});
}

void TalkView::add_output(const Happening& what) {
  const auto found = std::ranges::find(running_, what.session + what.id, &Running::id);
  if (found == running_.end()) return;
  const std::string_view text = trim(what.text);
  if (!text.empty()) found->output = preview(text.substr(text.rfind('\n') + 1), 200);
}

void TalkView::end_call(const Happening& what) {
  CallView view{.name = what.name, .subject = what.subject};
  if (const auto found = std::ranges::find(running_, what.session + what.id, &Running::id);
      found != running_.end()) {
    view = std::move(found->view);
    running_.erase(found);
  }
  const bool has_failed = what.is_error || what.status != 0;
  view.state = has_failed ? CallState::failed : CallState::ok;
  view.elapsed = what.elapsed;
  view.result = cut_utf8(what.text, kMostResult);
  if (view.result.size() < what.text.size()) view.result += "\n…";
  view.is_prose = what.is_error;
  view.summary = what.is_error ? std::string(first_line(view.result))
                 : has_failed  ? ending_of(what.status)
                               : summary_of(view, what.is_change);
  open(Block::calls);
  const std::string indent = indent_of(what);
  const LineStyle line_style{style_.colours, style_.columns - indent.size(), style_.has_keys};
  const size_t most = what.shows_result ? kMostResultRows : kMostFailedRows;
  if (what.is_error)
    show_error(view, indent, most);
  else
    write_(indent + tool_line(view, line_style) + "\n");
  if (what.is_change && !has_failed) {
    const std::vector<std::string> rows = short_diff_rows(view.result, style_.colours);
    for (size_t i = 0; i < std::min(rows.size(), kMostDiffRows); ++i)
      write_line(indent + "  " + rows[i]);
    if (rows.size() > kMostDiffRows)
      write_line(indent + "  " + more_lines(rows.size() - kMostDiffRows, line_style));
  }
  // Of a command that failed, what it had to say.
  const bool shows_why = has_failed && !what.is_error;
  if (!what.is_error && (what.shows_result || shows_why)) {
    const CallView result{
        .name = view.name,
        .result = shows_why ? without_line(view.result, view.summary) : view.result};
    const std::string details = tool_details(result, line_style, most);
    std::string rows;
    for (const std::string_view row : split(details, '\n'))
      if (!row.empty()) rows.append(indent).append(row).append("\n");
    write_(rows);
  }
  if (std::exchange(is_new_turn_, false)) done_.clear();
  done_.push_back(std::move(view));
  if (done_.size() > kMostCalls) done_.erase(done_.begin());
}

void TalkView::begin(std::string_view what, Time now) {
  if (is_working_) return;
  is_working_ = true;
  doing_ = what;
  tokens_ = 0;
  streamed_ = 0;
  is_new_turn_ = true;
  status_.start(what, now);
  row_.clear();
}

void TalkView::end() {
  close();
  is_working_ = false;
  running_.clear();
  status_.stop();
}

void TalkView::queue(std::string id, std::string text) {
  queued_.push_back({std::move(id), std::move(text)});
}

void TalkView::unqueue(std::string_view id) {
  std::erase_if(queued_, [&](const Queued& each) { return each.id == id; });
}

std::string TalkView::what_is_done() const {
  if (running_.empty()) return doing_;
  if (running_.size() == 1) return "Running " + running_[0].view.name;
  return fmt::format("Running {} tools", running_.size());
}

std::vector<std::string> TalkView::status(Time now) {
  std::vector<std::string> rows = {""};
  const size_t width = style_.columns - 1;
  const size_t count = std::min(running_.size(), kMostRunningRows);
  for (size_t i = 0; i < count; ++i) {
    CallView view = running_[i].view;
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - running_[i].begun);
    if (elapsed >= kWorthTelling) view.elapsed = elapsed;
    rows.push_back(tool_line(view, {style_.colours, style_.columns}));
    if (!running_[i].output.empty())
      rows.push_back(
          fitted("  " + with_look(dim, shown(running_[i].output), style_.colours), width));
  }
  if (count < running_.size())
    rows.push_back(
        with_look(dim, fmt::format("  and {}", count_of(running_.size() - count, "more call")),
                  style_.colours));
  if (is_working_) {
    status_.set_what(what_is_done());
    status_.set_tokens(static_cast<size_t>(tokens_) + streamed_ / kBytesOfAToken);
    status_.set_facts(window_ > 0
                          ? fmt::format("{} of {}", short_count(static_cast<size_t>(context_)),
                                        short_count(static_cast<size_t>(window_)))
                          : "");
    if (auto row = status_.next(now)) row_ = std::move(*row);
    rows.push_back(row_);
  }
  for (size_t i = 0; i < std::min(queued_.size(), kMostQueuedRows); ++i)
    rows.push_back(fitted(
        with_look(dim, "↳ queued: " + shown(first_line(queued_[i].text)), style_.colours), width));
  if (queued_.size() > kMostQueuedRows)
    rows.push_back(with_look(dim, fmt::format("  and {} more", queued_.size() - kMostQueuedRows),
                             style_.colours));
  return rows;
}

std::string TalkView::details() const {
  std::string out;
  const LineStyle style{style_.colours, style_.columns};
  for (const CallView& view : done_)
    out += tool_line(view, style) + "\n" + tool_details(view, style, kAllRows);
  return out;
}

}  // namespace helve::terminal
