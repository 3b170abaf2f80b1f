#include "terminal/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "terminal/highlight.h"
#include "terminal/markdown_table.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostLine = 4000;  // bytes of a line that is shown as a whole; then it is broken
constexpr size_t kMostTable = 300;  // rows; then another table begins
constexpr size_t kLeastWidth = 10;
constexpr size_t kMostRule = 60;
constexpr size_t kMostQuotes = 10;  // deep
constexpr size_t kCodeIndent = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t run_of(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

// Whether a line that begins so may be a rule: ---, * * *.
bool may_be_rule(std::string_view text) {
  const char mark = text[0];
  if (mark != '-' && mark != '*' && mark != '_') return false;
  return std::ranges::all_of(text, [&](char c) { return c == mark || c == ' ' || c == '\t'; });
}

// The length of "- ", "12. " at the beginning; 0: there is none; npos: that is not known yet.
size_t list_mark(std::string_view text, Rest rest) {
  const auto unknown = rest == Rest::may_come ? std::string_view::npos : 0;
  size_t end = 1;
  if (is_digit(text[0])) {
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > 9) return 0;
    if (end == text.size()) return unknown;
    if (text[end] != '.' && text[end] != ')') return 0;
    ++end;
  } else if (text[0] != '-' && text[0] != '*' && text[0] != '+') {
    return 0;
  }
  if (end == text.size()) return rest == Rest::may_come ? unknown : is_digit(text[0]) ? 0 : end;
  return text[end] == ' ' || text[end] == '\t' ? end : 0;
}

}  // namespace

// What a line begins with.
struct MarkdownStream::Start {
  enum class Kind : unsigned char { unknown, text, heading, item, rule, fence, table, blank };
  Kind kind = Kind::unknown;
  size_t bytes = 0;  // of the marks
  size_t quotes = 0;
  size_t indent = 0;
  std::string mark = {};  // as it is shown
  Look mark_look = plain;
  bool is_ticked = false;
};

MarkdownStream::MarkdownStream(const MarkdownStyle& style, Write write)
    : style_(style),
      write_(std::move(write)),
      wrap_({style.width, style.colours}, [this](std::string_view text) { out_ += text; }),
      inline_(wrap_, style) {
  resize(style.width);
}

void MarkdownStream::feed(std::string_view piece) {
  for (const char c : piece) put(c);
  flush();
}

void MarkdownStream::finish() {
  if (line_ != Line::unknown || !held_.empty()) end_line();
  put_table();
  items_.clear();
  fence_.clear();
  has_content_ = wants_blank_ = false;
  flush();
}

void MarkdownStream::resize(size_t width) {
  style_.width = std::max(width, kLeastWidth);
  wrap_.resize(style_.width);
}

void MarkdownStream::flush() {
  if (!out_.empty()) write_(out_);
  out_.clear();
}

void MarkdownStream::put(char c) {
  if (c == '\n') return end_line();
  if (c == '\r') return;
  const bool begins_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  if (held_.size() >= kMostLine && begins_character) end_line();
  const bool is_special = is_mark(c) || (!held_.empty() && is_mark(held_.back()));
  held_ += c;
  if (line_ == Line::unknown && fence_.empty()) {
    const Start start = look_at_start(Rest::may_come);
    if (start.kind != Start::Kind::unknown) begin(start);
  }
  if (line_ == Line::text && (is_special || !waits_ || held_.size() > kMostHeld))
    put_text(Rest::may_come);
}

void MarkdownStream::end_line() {
  if (!fence_.empty()) {
    put_code_line(held_);
  } else {
    if (line_ == Line::unknown) begin(look_at_start(Rest::is_all_there));
    if (line_ == Line::text) {
      put_text(Rest::is_all_there);
      wrap_.end_line();
    } else if (line_ == Line::whole) {
      const Start start = look_at_start(Rest::is_all_there);
      if (start.kind == Start::Kind::fence) {
        put_fence(start, std::string_view(held_).substr(start.bytes));
      } else if (start.kind == Start::Kind::text) {  // began like a fence
        begin_text(start);
        put_text(Rest::is_all_there);
        wrap_.end_line();
      } else {
        if (table_.empty())
          table_prefix_ = bars(start.quotes) + std::string(hanging_at(start.indent), ' ');
        table_.push_back(held_.substr(start.bytes));
        if (table_.size() >= kMostTable) put_table();
      }
    }
  }
  held_.clear();
  line_ = Line::unknown;
  waits_ = false;
  before_ = ' ';
  look_ = plain;
}

MarkdownStream::Start MarkdownStream::look_at_start(Rest rest) const {
  using Kind = Start::Kind;
  Start start;
  std::string_view text = held_;
  const auto is_unknown = [&](size_t length) {
    return length >= text.size() && rest == Rest::may_come;
  };
  const auto take = [&](size_t length) {
    text.remove_prefix(length);
    start.bytes += length;
  };
  const auto is = [&](Kind kind) {
    start.kind = kind;
    return start;
  };
  for (;;) {
    start.indent = 0;
    size_t blanks = 0;
    for (; blanks < text.size() && (text[blanks] == ' ' || text[blanks] == '\t'); ++blanks)
      start.indent += text[blanks] == '\t' ? 4 : 1;
    if (is_unknown(blanks) && held_.size() < kMostLine) return start;
    take(blanks);
    if (text.empty()) return is(Kind::blank);
    if (text[0] != '>' || start.quotes == kMostQuotes) break;
    if (is_unknown(1)) return start;
    ++start.quotes;
    take(text.size() > 1 && text[1] == ' ' ? 2 : 1);
  }
  if (text[0] == '#') {
    const size_t level = run_of(text, '#');
    if (is_unknown(level)) return start;
    if (level > 6 || (level < text.size() && text[level] != ' ')) return is(Kind::text);
    start.mark = std::string(level, '#') + " ";
    take(std::min(level + 1, text.size()));
    return is(Kind::heading);
  }
  if (text[0] == '`' || text[0] == '~') {
    const size_t marks = run_of(text, text[0]);
    if (marks < 3 && is_unknown(marks)) return start;
    if (marks < 3) return is(Kind::text);
    const bool is_code_span =
        text[0] == '`' && text.find('`', marks) != text.npos;  // ```code``` within a line
    return is(is_code_span ? Kind::text : Kind::fence);
  }
  if (text[0] == '|') return is(Kind::table);
  if (may_be_rule(text)) {
    if (rest == Rest::may_come && held_.size() < kMostLine) return start;
    if (std::ranges::count(text, text[0]) >= 3) return is(Kind::rule);
  }
  const size_t mark = list_mark(text, rest);
  if (mark == text.npos) return start;
  if (mark == 0) return is(Kind::text);
  size_t gap = text.find_first_not_of(" \t", mark);
  if (gap == text.npos) gap = text.size();
  if (is_unknown(gap)) return start;
  start.mark = is_digit(text[0]) ? std::string(text.substr(0, mark)) + " "
               : style_.colours  ? "• "
                                 : "- ";
  take(gap);
  if (text.starts_with('[')) {
    if (text.size() < 4 && rest == Rest::may_come) return start;
    const bool is_box = text.size() >= 3 && text[2] == ']' && (text.size() == 3 || text[3] == ' ');
    const char state = is_box ? text[1] : '\0';
    if (state == ' ' || state == 'x' || state == 'X') {
      start.is_ticked = state != ' ';
      start.mark += !style_.colours   ? (start.is_ticked ? "[x] " : "[ ] ")
                    : start.is_ticked ? "☑ "
                                      : "☐ ";
      if (style_.colours) start.mark.erase(0, start.mark.find(' ') + 1);  // a box needs no bullet
      take(std::min<size_t>(4, text.size()));
    }
  }
  start.mark_look = is_digit(start.mark[0]) ? plain : start.is_ticked ? green : dim;
  return is(Kind::item);
}

void MarkdownStream::begin(const Start& start) {
  using Kind = Start::Kind;
  if (start.kind == Kind::fence || start.kind == Kind::table) {
    if (start.kind == Kind::fence) put_table();
    line_ = Line::whole;
    return;
  }
  put_table();
  if (start.kind == Kind::blank && start.quotes == 0) return put_blank();
  if (start.kind == Kind::rule) return put_rule(start);
  begin_text(start);
}

void MarkdownStream::begin_text(const Start& start) {
  using Kind = Start::Kind;
  before_block();
  size_t outer = hanging_at(start.indent);
  if (items_.empty() && start.indent >= 4 && start.kind == Kind::text) outer = start.indent;
  const std::string quote = bars(start.quotes);
  const std::string indent(outer, ' ');
  Piece first{quote + indent, dim};
  Piece next = first;
  if (start.kind == Kind::item) {
    const size_t hanging = outer + columns_of(start.mark);
    items_.push_back({start.indent, hanging});
    next.text = quote + std::string(hanging, ' ');
    first.text += start.mark;
    first.look = start.quotes > 0 ? dim : start.mark_look;
  } else if (start.kind == Kind::heading) {
    look_ = bold;
    if (!style_.colours) first.text += start.mark;
  }
  wrap_.begin_line(first, next);
  held_.erase(0, start.bytes);
  line_ = Line::text;
}

// Ends the items that a line of this indent is not part of, and says where its text begins.
size_t MarkdownStream::hanging_at(size_t indent) {
  while (!items_.empty() && indent < items_.back().mark + 2) items_.pop_back();
  return items_.empty() ? 0 : items_.back().hanging;
}

std::string MarkdownStream::bars(size_t depth) const {
  std::string out;
  for (size_t i = 0; i < depth; ++i) out += style_.colours ? "│ " : "> ";
  return out;
}

void MarkdownStream::put_text(Rest rest) {
  const PutInline put = [this](const InlineText& part) { inline_.put(part); };
  size_t done = 0;
  waits_ = false;
  while (done < held_.size()) {
    const std::string_view text = std::string_view(held_).substr(done);
    const size_t bytes = put_first_inline(text, before_, look_, rest, put);
    if (bytes == 0) {
      waits_ = static_cast<unsigned char>(text[0]) < 0x80;
      break;
    }
    inline_.end_span();
    before_ = text[bytes - 1];
    done += bytes;
  }
  held_.erase(0, done);
}

void MarkdownStream::put_code_line(std::string_view line) {
  for (size_t i = 0; i < fence_quotes_ && line.starts_with('>'); ++i)
    line.remove_prefix(line.starts_with("> ") ? 2 : 1);
  const std::string_view bare = trim(line);
  if (bare.size() >= fence_.size() && bare.find_first_not_of(fence_[0]) == bare.npos) {
    if (!style_.colours) out_ += code_prefix_ + fence_ + "\n";
    fence_.clear();
    return;
  }
  const size_t own = std::min(run_of(line, ' '), fence_indent_);
  const std::string text = shown_lines(line.substr(own));
  if (!text.empty())
    out_ += code_prefix_ + (style_.colours ? highlighted(text, code_language_) : text);
  out_ += '\n';
}

void MarkdownStream::put_fence(const Start& start, std::string_view info) {
  before_block();
  const size_t marks = run_of(info, info[0]);
  fence_ = info.substr(0, marks);
  fence_indent_ = start.indent;
  fence_quotes_ = start.quotes;
  code_prefix_ = with_look(dim, bars(start.quotes), style_.colours) +
                 std::string(hanging_at(start.indent), ' ');
  info = trim(info.substr(marks));
  const std::string language = shown(info.substr(0, info.find_first_of(" \t{")));
  code_language_ = language;
  if (!style_.colours) {
    out_ += code_prefix_ + fence_ + language + "\n";
    return;
  }
  code_prefix_.append(kCodeIndent, ' ');
  if (!language.empty()) out_ += code_prefix_ + with_look(dim, language, true) + "\n";
}

void MarkdownStream::put_rule(const Start& start) {
  before_block();
  items_.clear();
  std::string rule = bars(start.quotes);
  for (size_t i = 0; i < std::min(style_.width, kMostRule); ++i) rule += "─";
  out_ += with_look(dim, rule, style_.colours) + "\n";
}

void MarkdownStream::put_blank() { wants_blank_ = has_content_; }

void MarkdownStream::put_table() {
  if (table_.empty()) return;
  before_block();
  out_ += render_table(table_, table_prefix_, style_);
  table_.clear();
}

void MarkdownStream::before_block() {
  if (wants_blank_) out_ += '\n';
  wants_blank_ = false;
  has_content_ = true;
}

}  // namespace helve::terminal
