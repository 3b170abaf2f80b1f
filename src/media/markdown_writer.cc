#include "media/markdown_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "media/markdown.h"

namespace helve::media {
namespace {

constexpr size_t kMaxIndented = 24;  // containers within another that are shown as such
constexpr size_t kMaxStyles = 16;    // that are open at once
constexpr size_t kMaxWord = 4096;    // bytes that are written at once
constexpr size_t kMaxFence = 100;    // backticks around code
constexpr std::string_view kNoCode("\r\0", 2);
constexpr std::int64_t kMaxNumber = 999'999'999;

void remove_spaces_at_end(std::string& text) { text.resize(text.find_last_not_of(' ') + 1); }

std::string_view mark_of(MarkdownWriter::Style style) {
  switch (style) {
    case MarkdownWriter::Style::strong:
      return "**";
    case MarkdownWriter::Style::emphasis:
      return "*";
    case MarkdownWriter::Style::strike:
      return "~~";
    case MarkdownWriter::Style::superscript:
    case MarkdownWriter::Style::link:
      break;
  }
  return "";
}

}  // namespace

void MarkdownWriter::block() {
  if (is_in_code_block()) {
    if (!code_.empty() && code_.back() != '\n') code_ += '\n';
    return;
  }
  suspend();
  if (table_.is_in_cell) {
    owed_ = Break::line;
  } else if (containers_.empty() || containers_.back().has_content) {
    owed_ = Break::blank;  // otherwise the container's own line is the one to start
  }
}

void MarkdownWriter::begin(Container container) {
  block();
  if (containers_.size() >= kMaxIndented && container.kind != Kind::heading)
    container.first = container.rest = "";
  containers_.push_back(std::move(container));
}

void MarkdownWriter::begin_heading(size_t level) {
  ++headings_;
  begin({.kind = Kind::heading,
         .first = std::string(std::string_view("###### ").substr(6 - level)),
         .rest = ""});
}
void MarkdownWriter::begin_quote() { begin({.kind = Kind::quote, .first = "> ", .rest = "> "}); }
void MarkdownWriter::begin_bullets() {
  begin_list({.kind = Kind::bullets, .first = "", .rest = ""});
}
void MarkdownWriter::begin_numbers(std::int64_t first) {
  begin_list({.kind = Kind::numbers,
              .first = "",
              .rest = "",
              .number = std::clamp<std::int64_t>(first, 0, kMaxNumber)});
}

void MarkdownWriter::begin_list(Container list) {
  const Container* around = containers_.empty() ? nullptr : &containers_.back();
  // Not every list may follow a paragraph without a blank line.
  const bool is_close = around && around->kind == Kind::item && around->has_content &&
                        (list.kind == Kind::bullets || list.number == 1);
  if (around && is_list(around->kind))  // a list in a list, without an item that holds it
    list.first = list.rest = around->kind == Kind::bullets ? "  " : "   ";
  begin(std::move(list));
  if (is_close && !table_.is_in_cell) owed_ = Break::line;
}

void MarkdownWriter::begin_item(std::optional<std::int64_t> number) {
  std::string mark = "- ";
  bool is_next = false;
  if (!containers_.empty() && is_list(containers_.back().kind)) {
    Container& list = containers_.back();
    is_next = list.has_content;
    if (list.kind == Kind::numbers) {
      list.number = std::clamp<std::int64_t>(number.value_or(list.number), 0, kMaxNumber);
      mark = fmt::format("{}. ", list.number++);
    }
  }
  std::string rest(mark.size(), ' ');
  begin({.kind = Kind::item, .first = std::move(mark), .rest = std::move(rest)});
  if (is_next && !table_.is_in_cell) owed_ = Break::line;
}

void MarkdownWriter::begin_definition() {
  const bool is_next = containers_.empty() ? !out_.empty() : containers_.back().has_content;
  begin({.kind = Kind::definition, .first = ": ", .rest = "  "});
  if (is_next && !table_.is_in_cell) owed_ = Break::line;
}

void MarkdownWriter::end() {
  if (containers_.empty()) return;
  suspend();
  if (containers_.back().kind == Kind::heading) --headings_;
  containers_.pop_back();
  owed_ = table_.is_in_cell ? Break::line : Break::blank;
}

void MarkdownWriter::rule() {
  if (table_.is_in_cell || is_in_code_block()) return;
  block();
  write_lines("***");
}

void MarkdownWriter::start_line() {
  if (!out_.empty()) {
    if (owed_ == Break::hard) out_ += "  ";
    out_ += '\n';
    if (owed_ == Break::blank) {
      for (const Container& each : containers_) {
        if (!each.has_content) break;  // it begins behind the blank line
        out_ += each.rest;
      }
      remove_spaces_at_end(out_);
      out_ += '\n';
    }
  }
  for (Container& each : containers_) {
    out_ += each.has_content ? each.rest : each.first;
    each.has_content = true;
  }
  line_begin_ = out_.size();
  owed_ = Break::none;
  space_ = false;
}

void MarkdownWriter::write_lines(std::string_view lines) {
  for (const std::string_view line : split(lines, '\n')) {
    start_line();
    out_ += line;
    if (line.empty()) remove_spaces_at_end(out_);
    owed_ = Break::line;
  }
  owed_ = Break::blank;
}

// `next` is what will be written, or begins like it.
void MarkdownWriter::before_content(std::string_view next) {
  const bool opens_link = std::ranges::any_of(
      styles_, [](auto& each) { return each.style == Style::link && !each.is_open; });
  const auto is_either = [](CharClass seen, CharClass wanted) {
    return seen == wanted || seen == CharClass::unclear;
  };
  // **a.**b would end nothing.
  if (closed_at_ == target().size() && is_either(closed_behind_, CharClass::punctuation) &&
      is_either(class_of_first(next), CharClass::word) && !opens_link)
    space_ = true;
  if (table_.is_in_cell) {
    const bool begins = table_.rows.size() == table_.cell_begin;
    if (!begins && owed_ != Break::none)
      table_.rows += "<br>";
    else if (!begins && space_)
      table_.rows += ' ';
    table_.has_content = true;
    owed_ = Break::none;
    space_ = false;
  } else if (owed_ != Break::none) {
    start_line();
  } else if (space_) {
    out_ += ' ';
    space_ = false;
  }
  open_styles(next);
}

void MarkdownWriter::text(std::string_view text) {
  while (!text.empty() && !is_full()) {
    if (is_in_code_block()) {
      const std::string_view piece = text.substr(0, text.find_first_of(kNoCode));
      code_ += cut_utf8(piece, most_);
      text.remove_prefix(std::min(piece.size() + 1, text.size()));
    } else if (const size_t length = word_length(text.substr(0, kMaxWord)); length > 0) {
      const std::string_view word =
          length < kMaxWord ? text.substr(0, length) : cut_utf8(text, kMaxWord);
      text.remove_prefix(word.size());
      write_word(word, !text.empty() && gap_at(text).is_space ? ' ' : '\0');
    } else {
      const TextGap gap = gap_at(text);
      if (gap.is_space) (code_.empty() ? space_ : code_space_) = true;
      text.remove_prefix(gap.length);
    }
  }
}

void MarkdownWriter::write_word(std::string_view word, char next) {
  if (code_depth_ > 0) {
    if (std::exchange(code_space_, false)) code_ += ' ';
    code_ += word;
    return;
  }
  before_content(word);
  const bool is_in_link =
      std::ranges::any_of(styles_, [](auto& each) { return each.style == Style::link; });
  append_escaped(target(), word,
                 {.line_begin = table_.is_in_cell ? table_.cell_begin : line_begin_,
                  .next = next,
                  .is_in_link = is_in_link,
                  .is_in_cell = table_.is_in_cell,
                  .is_in_heading = headings_ > 0});
}

void MarkdownWriter::literal(std::string_view markdown) {
  if (markdown.empty() || is_in_code_block()) return;
  before_content(markdown);
  target() += markdown;
}

void MarkdownWriter::line_break() {
  if (is_in_code_block()) {
    code_ += '\n';
  } else if (code_depth_ > 0 || headings_ > 0) {
    (code_.empty() ? space_ : code_space_) = true;
  } else if (table_.is_in_cell) {
    owed_ = Break::line;
  } else if (owed_ == Break::hard) {
    block();
  } else if (owed_ == Break::none) {
    owed_ = Break::hard;
  }
}

void MarkdownWriter::begin(Style style, std::string_view target) {
  if (styles_.size() >= kMaxStyles)
    ++ignored_styles_;
  else
    styles_.push_back({.style = style, .target = std::string(target)});
}

void MarkdownWriter::end(Style style) {
  if (ignored_styles_ > 0) {
    --ignored_styles_;
    return;
  }
  const auto found = std::ranges::find(styles_.rbegin(), styles_.rend(), style, &Inline::style);
  if (found == styles_.rend()) return;
  const auto index = static_cast<size_t>(styles_.rend() - found) - 1;
  if (styles_[index].is_open) close_styles(index);  // those in it go on with the next text
  styles_.erase(styles_.begin() + static_cast<std::ptrdiff_t>(index));
}

CharClass MarkdownWriter::class_before() const {
  if (closed_at_ == target().size()) return closed_behind_;
  const size_t begin = table_.is_in_cell ? table_.cell_begin : line_begin_;
  return class_of_last(std::string_view(target()).substr(begin));
}

// Whether marks at this place can begin something.
bool MarkdownWriter::can_open(std::string_view next) const {
  const CharClass before = class_before();
  if (before == CharClass::space || before == CharClass::punctuation) return true;
  size_t strikes = 0, stars = 0;
  for (const Inline& each : styles_) {
    if (each.is_open || each.style == Style::superscript) continue;
    if (each.style == Style::link) return false;
    ++(each.style == Style::strike ? strikes : stars);
  }
  return class_of_first(next) == CharClass::word && (strikes == 0 || stars == 0);
}

void MarkdownWriter::open_styles(std::string_view next) {
  const auto is_closed = [](const Inline& each) { return !each.is_open; };
  if (std::ranges::none_of(styles_, is_closed)) return;
  const bool can_open = this->can_open(next);
  const char first = next[0];
  for (size_t index = 0; index < styles_.size(); ++index) {
    Inline& each = styles_[index];
    if (each.is_open) continue;
    each.is_open = each.is_used = true;
    each.closing = "";
    // One within its like, and bold in a heading, say nothing new.
    const bool is_repeated =
        std::ranges::any_of(styles_.begin(), styles_.begin() + static_cast<std::ptrdiff_t>(index),
                            [&](auto& other) { return other.style == each.style; });
    if (is_repeated || (each.style == Style::strong && headings_ > 0)) continue;
    std::string& out = target();
    if (each.style == Style::superscript) {
      const bool is_power = std::string_view("+-0123456789").contains(first) ||
                            static_cast<unsigned char>(first) >= 0x80;
      if (is_power && !out.empty() && std::isalnum(static_cast<unsigned char>(out.back())))
        out += '^';
    } else if (each.style == Style::link) {
      if (out.ends_with('!')) out.insert(out.size() - 1, 1, '\\');  // or it would be an image
      out += '[';
      each.closing = "](";
    } else if (closed_at_ == out.size() && closed_ == each.style) {
      each.closing = mark_of(each.style);  // **a****b** would be something else than **ab**
      out.erase(closed_at_ - each.closing.size());
    } else if (can_open) {
      each.closing = mark_of(each.style);
      out += each.closing;
    }
    closed_at_ = kNowhere;
  }
}

void MarkdownWriter::close_styles(size_t from) {
  for (size_t index = styles_.size(); index-- > from;) {
    Inline& each = styles_[index];
    if (!each.is_open) continue;
    each.is_open = false;
    if (each.closing.empty()) continue;
    std::string& out = target();
    if (closed_at_ != out.size())
      closed_behind_ = class_of_last(out);
    else if ((closed_ == Style::strike) != (each.style == Style::strike))
      closed_behind_ = CharClass::punctuation;  // the marks of the other kind
    out += each.closing;
    if (each.style == Style::link) {
      (out += each.target) += ')';
      closed_behind_ = CharClass::punctuation;
    }
    closed_at_ = each.style == Style::link ? kNowhere : out.size();
    closed_ = each.style;
  }
}

// Ends what is inline at the end of a block; all but links go on in the next one.
void MarkdownWriter::suspend() {
  flush_code();
  close_styles(0);
  std::erase_if(styles_, [](auto& each) { return each.style == Style::link && each.is_used; });
  space_ = false;
  closed_at_ = code_end_ = kNowhere;
}

void MarkdownWriter::begin_code() { ++code_depth_; }

void MarkdownWriter::end_code() {
  if (code_depth_ == 0 || --code_depth_ > 0) return;
  flush_code();
}

// Spaces at the ends of the code stand outside of it.
void MarkdownWriter::flush_code() {
  if (is_in_code_block() || code_.empty()) return;
  write_code(std::exchange(code_, {}));
  space_ = std::exchange(code_space_, false);
}

void MarkdownWriter::write_code(std::string_view code) {
  size_t longest = 0, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::min(longest + 1, kMaxFence), '`');
  const std::string_view pad = code.front() == '`' || code.back() == '`' ? " " : "";
  if (code_end_ == target().size()) space_ = true;  // or the backticks of both would be one
  before_content("`");
  std::string& out = target();
  (out += fence) += pad;
  for (const char c : code) {
    if (c == '|' && table_.is_in_cell) out += '\\';
    out += c;
  }
  (out += pad) += fence;
  code_end_ = out.size();
}

void MarkdownWriter::begin_code_block(std::string_view language) {
  if (code_blocks_ == 0) {
    suspend();
    language_ = language;
  }
  ++code_blocks_;
}

void MarkdownWriter::set_language(std::string_view language) {
  if (language_.empty() && code_.empty()) language_ = language;
}

void MarkdownWriter::end_code_block() {
  if (code_blocks_ == 0 || --code_blocks_ > 0) return;
  std::string code = std::exchange(code_, {});
  code.resize(code.find_last_not_of(" \t\n") + 1);
  // Without the lines before the first one that says something.
  if (const size_t text = code.find_first_not_of(" \t\n"); text != code.npos && text > 0)
    code.erase(0, code.rfind('\n', text - 1) + 1);
  block();
  if (code.empty()) return;
  if (table_.is_in_cell || headings_ > 0) {
    std::ranges::replace(code, '\n', ' ');
    write_code(code);
  } else {
    std::string lines;
    append_code_block(lines, language_, code);
    lines.pop_back();
    write_lines(lines);
  }
  block();
}

std::string MarkdownWriter::finish() {
  if (is_in_code_block()) {
    code_blocks_ = 1;
    end_code_block();
  }
  end_table();
  suspend();
  if (!out_.empty()) out_ += '\n';
  return std::move(out_);
}

}  // namespace helve::media
