#include "media/html_survey.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "media/html_entities.h"
#include "media/markdown_escape.h"

namespace helve::media {
namespace {

constexpr size_t kSubstantial = 250;    // bytes of text that make a main part worth to stand alone
constexpr size_t kMaxTitle = 1000;      // bytes
constexpr size_t kMaxTables = 100'000;  // the others are taken for layout

// A part of the page that may be what it is about.
struct Part {
  size_t element = 0;
  size_t text = 0;  // before it; then in it
};

struct Table {
  size_t number = 0;
  bool is_layout = false;
  bool has_header = false;
  size_t rows = 0, columns = 0, most_columns = 0;

  bool holds_values() const { return !is_layout && most_columns > 1 && (rows > 1 || has_header); }
};

// Layout, as no cell of Markdown can hold it.
bool is_no_value(Tag tag) {
  return (tag >= Tag::h1 && tag <= Tag::h6) || tag == Tag::ul || tag == Tag::ol || tag == Tag::dl ||
         tag == Tag::pre || tag == Tag::blockquote || tag == Tag::hr;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  bool space = false;
  while (!text.empty()) {
    const size_t length = word_length(text);
    if (length > 0 && std::exchange(space, false)) out += ' ';
    out += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    const TextGap gap = gap_at(text);
    space = space || (gap.is_space && !out.empty());
    text.remove_prefix(gap.length);
  }
  return out;
}

class Surveyor {
 public:
  Surveyor(std::string_view html, HtmlReader::Boilerplate boilerplate)
      : reader_(html, boilerplate) {}

  HtmlSurvey run() {
    for (HtmlEvent event = reader_.next(); event.kind != HtmlEvent::Kind::done;
         event = reader_.next()) {
      if (event.kind == HtmlEvent::Kind::text)
        take_text(event);
      else if (event.kind == HtmlEvent::Kind::open)
        open(event);
      else
        close(event);
    }
    out_.title = on_one_line(out_.title);
    if (out_.title.empty()) out_.title = on_one_line(heading_);
    if (main_.text >= kSubstantial || (main_.element > 0 && main_.text * 2 >= out_.text))
      out_.main = main_.element;
    else if (article_.element > 0 && article_.text * 2 >= out_.text)
      out_.main = article_.element;
    return std::move(out_);
  }

 private:
  void open(const HtmlEvent& event) {
    if (event.is_main || event.tag == Tag::article) parts_.push_back({event.element, out_.text});
    if (event.is_main && mains_++ == 0) main_.element = event.element;
    if (event.tag == Tag::title && out_.title.empty()) titled_ = &out_.title;
    if (event.tag == Tag::h1 && heading_.empty()) titled_ = &heading_;
    if (!tables_.empty()) look_at_table(event);
    if (event.tag != Tag::table) return;
    if (!tables_.empty()) tables_.back().is_layout = true;
    const bool is_presented = attribute(event.attributes, "role").value_or("") == "presentation";
    tables_.push_back({.number = table_count_++, .is_layout = is_presented});
  }

  void look_at_table(const HtmlEvent& event) {
    Table& table = tables_.back();
    if (is_no_value(event.tag)) table.is_layout = true;
    if (event.tag == Tag::tr) {
      ++table.rows;
      table.columns = 0;
    } else if (event.tag == Tag::td || event.tag == Tag::th) {
      table.has_header = table.has_header || event.tag == Tag::th;
      table.most_columns = std::max(table.most_columns, ++table.columns);
    }
  }

  void close(const HtmlEvent& event) {
    if (event.tag == Tag::title || event.tag == Tag::h1) titled_ = nullptr;
    if (event.tag == Tag::table && !tables_.empty()) {
      const Table& table = tables_.back();
      if (table.holds_values() && table.number < kMaxTables) {
        out_.holds_values.resize(std::max(out_.holds_values.size(), table.number + 1));
        out_.holds_values[table.number] = true;
      }
      tables_.pop_back();
    }
    if (parts_.empty() || parts_.back().element != event.element) return;
    const Part part{event.element, out_.text - parts_.back().text};
    parts_.pop_back();
    if (part.element == main_.element)
      main_ = part;
    else if (part.text > article_.text)
      article_ = part;
  }

  void take_text(const HtmlEvent& event) {
    if (titled_ != &out_.title) out_.text += trim(event.text).size();
    if (titled_ && titled_->size() < kMaxTitle)
      append_decoded(*titled_, event.text.substr(0, kMaxTitle), ReferencePlace::text);
  }

  HtmlReader reader_;
  HtmlSurvey out_;
  std::string heading_;
  std::string* titled_ = nullptr;  // whose text comes
  Part main_, article_;
  size_t mains_ = 0, table_count_ = 0;
  std::vector<Part> parts_;
  std::vector<Table> tables_;
};

}  // namespace

HtmlSurvey survey_html(std::string_view html, HtmlReader::Boilerplate boilerplate) {
  return Surveyor(html, boilerplate).run();
}

}  // namespace helve::media
