#include "knowledge/passage.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "knowledge/markdown_lines.h"
#include "knowledge/passage_gatherer.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxTitleBytes = 200;  // of one heading, in the path
constexpr size_t kMaxSetextLines = 3;   // of a heading that is underlined

// Calls `visit` with each line, without its ending.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t newline = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, newline - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
    begin = newline + 1;
  }
}

class MarkdownSplitter {
 public:
  explicit MarkdownSplitter(std::string_view text)
      : text_(text), front_matter_(front_matter_lines(text)), gatherer_(text) {}

  std::vector<Passage> split() {
    for_each_line(text_, [this](std::string_view line) { visit(line); });
    return gatherer_.take();
  }

 private:
  void visit(std::string_view line) {
    if (front_matter_ > 0) {
      --front_matter_;
      gatherer_.skip();
    } else if (fence_) {
      visit_code(line);
    } else if (is_blank(line)) {
      gatherer_.add(line, Cut::anywhere);
      begins_ = Begins::block;
      title_lines_ = 0;
    } else if (const std::optional<Heading> heading = atx_heading(line)) {
      gatherer_.add(line, Cut::block);
      begin_section(heading->level, heading->title, 1);
    } else if (const int level = setext_level(line); level > 0 && title_lines_ > 0) {
      gatherer_.add(line, Cut::anywhere);
      begin_section(level, title_, title_lines_ + 1);
    } else {
      visit_text(line);
    }
  }

  void visit_code(std::string_view line) {
    gatherer_.add(line, begins_ == Begins::block ? Cut::part : Cut::anywhere);
    begins_ = is_blank(line) ? Begins::block : Begins::nothing;
    if (!closes(*fence_, line)) return;
    fence_.reset();
    begins_ = Begins::part;
  }

  void visit_text(std::string_view line) {
    const bool is_item = is_list_item(line);
    if (begins_ == Begins::block) in_list_ = in_list_ && (is_item || is_indented(line));
    fence_ = opened_fence(line, in_list_);

    Cut cut = Cut::anywhere;
    if (begins_ != Begins::nothing || fence_ || (is_item && !is_indented(line))) cut = Cut::part;
    if (begins_ == Begins::block && !in_list_) cut = Cut::block;
    gatherer_.add(line, cut);

    in_list_ = in_list_ || is_item;
    const bool is_plain = !in_list_ && !fence_ && !line.starts_with('>') && !line.starts_with('|');
    note_title(line, is_plain);
    begins_ = Begins::nothing;
    has_body_ = true;
  }

  // A short paragraph is a heading when a line of = or - follows.
  void note_title(std::string_view line, bool is_plain) {
    if (begins_ != Begins::nothing) title_.clear();
    const bool goes_on = begins_ != Begins::nothing || title_lines_ > 0;
    const bool fits = title_lines_ < kMaxSetextLines &&
                      title_.size() + line.size() < PassageGatherer::kHeldBack / 2;
    title_lines_ = is_plain && goes_on && fits ? title_lines_ + 1 : 0;
    if (title_lines_ > 1) title_ += ' ';
    if (title_lines_ > 0) title_ += trim(line);
  }

  void begin_section(int level, std::string_view title, size_t lines) {
    const bool goes_on = !has_body_ && lines == 1 && level > level_;
    for (auto i = static_cast<size_t>(level - 1); i < path_.size(); ++i) path_[i].clear();
    path_[static_cast<size_t>(level - 1)] = cut_utf8(title, kMaxTitleBytes);
    std::string heading;
    for (const std::string& part : path_) {
      if (part.empty()) continue;
      if (!heading.empty()) heading += " > ";
      heading += part;
    }
    // A heading right below another one needs no passage of its own.
    if (goes_on)
      gatherer_.rename_section(std::move(heading));
    else
      gatherer_.begin_section(std::move(heading), lines);
    level_ = level;
    title_lines_ = 0;
    in_list_ = has_body_ = false;
    begins_ = Begins::part;
  }

  // What the next line is the beginning of, if it is text.
  enum class Begins : unsigned char { nothing, part, block };

  std::string_view text_;
  size_t front_matter_;  // lines that are left of it
  PassageGatherer gatherer_;
  std::array<std::string, 6> path_;
  int level_ = 0;
  bool has_body_ = true;  // the section has more than its heading
  Begins begins_ = Begins::block;
  bool in_list_ = false;
  std::optional<Fence> fence_;
  size_t title_lines_ = 0;  // of a paragraph that could be a heading
  std::string title_;
};

std::vector<Passage> split_plain(std::string_view text) {
  PassageGatherer gatherer(text);
  bool after_blank = true;
  for_each_line(text, [&](std::string_view line) {
    gatherer.add(line, after_blank ? Cut::block : Cut::anywhere);
    after_blank = is_blank(line);
  });
  return gatherer.take();
}

// Cut before what stands at the left margin after a blank line or a brace: definitions, mostly.
std::vector<Passage> split_code(std::string_view text) {
  PassageGatherer gatherer(text);
  bool after_blank = true;
  bool after_end = false;
  for_each_line(text, [&](std::string_view line) {
    const bool at_margin = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '}';
    Cut cut = after_blank ? Cut::part : Cut::anywhere;
    if ((after_blank || after_end) && at_margin) cut = Cut::block;
    gatherer.add(line, cut);
    after_blank = is_blank(line);
    after_end = line.starts_with('}');
  });
  return gatherer.take();
}

std::vector<Passage> split_marked(std::string_view text, TextKind kind) {
  switch (kind) {
    case TextKind::markdown:
      return MarkdownSplitter(text).split();
    case TextKind::code:
      return split_code(text);
    case TextKind::plain:
      return split_plain(text);
  }
  return {};
}

}  // namespace

std::vector<Passage> split_passages(std::string_view text, TextKind kind) {
  const size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::vector<Passage> passages = split_marked(text.substr(mark), kind);
  for (Passage& passage : passages) passage.begin += mark;
  return passages;
}

}  // namespace helve::knowledge
