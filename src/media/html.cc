#include "media/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/encoding.h"
#include "base/text.h"
#include "media/html_entities.h"
#include "media/html_reader.h"
#include "media/html_survey.h"
#include "media/markdown_writer.h"

namespace helve::media {
namespace {

using Style = MarkdownWriter::Style;

constexpr size_t kMaxTarget = 2048;      // bytes of a link; longer ones become text
constexpr size_t kDeclaredBytes = 4096;  // of the start, in which a page says its encoding

std::optional<std::int64_t> number_in(std::string_view attributes, std::string_view name) {
  const std::string text = attribute(attributes, name).value_or("");
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() ? std::optional(value) : std::nullopt;
}

size_t span_in(std::string_view attributes, std::string_view name) {
  return static_cast<size_t>(std::max<std::int64_t>(number_in(attributes, name).value_or(1), 1));
}

std::optional<Style> style_of(Tag tag) {
  switch (tag) {
    case Tag::b:
    case Tag::strong:
      return Style::strong;
    case Tag::cite:
    case Tag::dfn:
    case Tag::em:
    case Tag::i:
    case Tag::var:
      return Style::emphasis;
    case Tag::del:
    case Tag::s:
    case Tag::strike:
      return Style::strike;
    case Tag::sup:
      return Style::superscript;
    default:
      return {};
  }
}

// "python" of "highlight language-python".
std::string language_in(std::string_view attributes) {
  const std::string classes = attribute(attributes, "class").value_or("");
  for (const std::string_view each : split(classes, ' ')) {
    for (const std::string_view mark : {"language-", "lang-", "highlight-source-", "highlight-"}) {
      if (!each.starts_with(mark)) continue;
      const std::string_view name = each.substr(mark.size());
      return name == "default" || name == "none" ? "" : std::string(name);
    }
  }
  return attribute(attributes, "data-lang").value_or("");
}

// "javascript" of "JavaScript:go()"; empty when it is relative.
std::string_view scheme_of(std::string_view target) {
  const size_t end = target.find_first_of(":/?#");
  return end == target.npos || target[end] != ':' ? std::string_view() : target.substr(0, end);
}

// The target of a link as Markdown takes it; nothing when it leads nowhere.
std::optional<std::string> link_target(std::string_view attributes) {
  const std::optional<std::string> value = attribute(attributes, "href");
  if (!value) return {};
  std::string target;
  for (const char c : trim(*value).substr(0, kMaxTarget + 1)) {
    if (c == '\t' || c == '\n' || c == '\r' || c == '\0') continue;  // browsers pass over them
    if (c == '&' && value->contains(';')) {  // which might be taken for a reference again
      target += "&amp;";
      continue;
    }
    const bool is_encoded = static_cast<unsigned char>(c) <= ' ' || c == '\x7F' ||
                            std::string_view("<>\\()|`").contains(c);
    target +=
        is_encoded ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  if (target.empty() || target.size() > kMaxTarget) return {};
  for (const std::string_view scheme : {"javascript", "vbscript", "data", "blob"}) {
    if (equals_ignoring_case(scheme_of(target), scheme)) return {};
  }
  return target;
}

class Converter {
 public:
  Converter(std::string_view html, HtmlReader::Boilerplate boilerplate, const HtmlSurvey& survey,
            size_t most_bytes)
      : reader_(html, boilerplate), survey_(survey), writer_(most_bytes) {}

  void run(HtmlPage& page) {
    bool is_within = survey_.main == 0;
    for (HtmlEvent event = reader_.next(); event.kind != HtmlEvent::Kind::done;
         event = reader_.next()) {
      if (writer_.is_full()) break;
      if (!is_within) {
        is_within = event.kind == HtmlEvent::Kind::open && event.element == survey_.main;
        if (event.kind == HtmlEvent::Kind::open && event.tag == Tag::table) ++table_count_;
        continue;
      }
      if (event.kind == HtmlEvent::Kind::text) {
        text(event);
      } else if (event.kind == HtmlEvent::Kind::open) {
        open(event);
      } else {
        if (event.element == survey_.main) break;
        close(event);
      }
    }
    page.is_cut = writer_.is_full();
    page.markdown = writer_.finish();
  }

 private:
  void text(const HtmlEvent& event) {
    if (event.is_literal || !event.text.contains('&')) return writer_.text(event.text);
    decoded_.clear();
    append_decoded(decoded_, event.text, ReferencePlace::text);
    writer_.text(decoded_);
  }

  void open(const HtmlEvent& event);
  void open_inline(const HtmlEvent& event);
  void close(const HtmlEvent& event);
  bool is_in_values() const { return !tables_.empty() && tables_.back(); }

  HtmlReader reader_;
  const HtmlSurvey& survey_;
  MarkdownWriter writer_;
  std::string decoded_;
  std::vector<bool> tables_;     // those that are open: whether they hold values
  size_t table_count_ = 0;       // that have opened
  std::string language_;         // of code, as said by what is around it
  size_t language_element_ = 0;  // which is this
};

void Converter::open(const HtmlEvent& event) {
  switch (event.tag) {
    case Tag::title:
      return reader_.skip();
    case Tag::h1:
    case Tag::h2:
    case Tag::h3:
    case Tag::h4:
    case Tag::h5:
    case Tag::h6:
      return writer_.begin_heading(1 + static_cast<size_t>(event.tag) -
                                   static_cast<size_t>(Tag::h1));
    case Tag::blockquote:
      return writer_.begin_quote();
    case Tag::ul:
    case Tag::menu:
    case Tag::dir:
      return writer_.begin_bullets();
    case Tag::ol:
      return writer_.begin_numbers(number_in(event.attributes, "start").value_or(1));
    case Tag::li:
      return writer_.begin_item(number_in(event.attributes, "value"));
    case Tag::dd:
      return writer_.begin_definition();
    case Tag::hr:
      return writer_.rule();
    case Tag::pre:
    case Tag::listing:
    case Tag::xmp:
    case Tag::plaintext: {
      const std::string language = language_in(event.attributes);
      return writer_.begin_code_block(language.empty() ? language_ : language);
    }
    case Tag::table:
      tables_.push_back(table_count_ < survey_.holds_values.size() &&
                        survey_.holds_values[table_count_]);
      ++table_count_;
      return tables_.back() ? writer_.begin_table() : writer_.block();
    case Tag::tr:
      return is_in_values() ? writer_.begin_row() : writer_.block();
    case Tag::td:
    case Tag::th:
      if (!is_in_values()) return writer_.block();
      return writer_.begin_cell(span_in(event.attributes, "colspan"),
                                span_in(event.attributes, "rowspan"));
    case Tag::div:
      if (std::string language = language_in(event.attributes); !language.empty()) {
        language_ = std::move(language);
        language_element_ = event.element;
      }
      return writer_.block();
    default:
      return traits(event.tag) & kBlock ? writer_.block() : open_inline(event);
  }
}

void Converter::open_inline(const HtmlEvent& event) {
  switch (event.tag) {
    case Tag::a:
      if (const auto target = link_target(event.attributes)) writer_.begin(Style::link, *target);
      return;
    case Tag::br:
      return writer_.line_break();
    case Tag::img:
      return writer_.text(attribute(event.attributes, "alt").value_or(""));
    case Tag::input:
      if (attribute(event.attributes, "type").value_or("") != "checkbox") return;
      writer_.literal(attribute(event.attributes, "checked") ? "[x]" : "[ ]");
      return writer_.text(" ");
    case Tag::math:
      if (const auto formula = attribute(event.attributes, "alttext")) {
        writer_.text(*formula);
        reader_.skip();
      }
      return;
    case Tag::q:
      return writer_.text("\"");
    case Tag::code:
    case Tag::kbd:
    case Tag::samp:
    case Tag::tt:
      if (writer_.is_in_code_block()) writer_.set_language(language_in(event.attributes));
      return writer_.begin_code();
    default:
      if (const auto style = style_of(event.tag)) writer_.begin(*style);
  }
}

void Converter::close(const HtmlEvent& event) {
  if (event.element == language_element_) language_.clear();
  switch (event.tag) {
    case Tag::h1:
    case Tag::h2:
    case Tag::h3:
    case Tag::h4:
    case Tag::h5:
    case Tag::h6:
    case Tag::blockquote:
    case Tag::ul:
    case Tag::menu:
    case Tag::dir:
    case Tag::ol:
    case Tag::li:
    case Tag::dd:
      return writer_.end();
    case Tag::pre:
    case Tag::listing:
    case Tag::xmp:
    case Tag::plaintext:
      return writer_.end_code_block();
    case Tag::table:
      if (is_in_values()) writer_.end_table();
      tables_.pop_back();
      return writer_.block();
    case Tag::td:
    case Tag::th:
      return is_in_values() ? writer_.end_cell() : writer_.block();
    case Tag::a:
      return writer_.end(Style::link);
    case Tag::q:
      return writer_.text("\"");
    case Tag::code:
    case Tag::kbd:
    case Tag::samp:
    case Tag::tt:
      return writer_.end_code();
    default:
      if (traits(event.tag) & kBlock)
        writer_.block();
      else if (const auto style = style_of(event.tag))
        writer_.end(*style);
  }
}

// What a page says of its own encoding, in its first bytes.
std::string declared_charset(std::string_view start) {
  constexpr std::string_view kMark = "charset=";
  HtmlTokens tokens(start);
  for (HtmlToken token = tokens.next(); token.kind != HtmlToken::Kind::done;
       token = tokens.next()) {
    if (token.kind != HtmlToken::Kind::start || token.tag != Tag::meta) continue;
    if (const auto charset = attribute(token.attributes, "charset")) return *charset;
    const std::string content = attribute(token.attributes, "content").value_or("");
    if (const size_t at = content.find(kMark); at != content.npos)
      return content.substr(at + kMark.size());
  }
  return {};
}

}  // namespace

HtmlPage html_to_markdown(std::string_view html, const HtmlOptions& options) {
  std::string valid;
  if (!is_utf8(html)) html = valid = escape_invalid_utf8(html);
  HtmlPage page;
  auto boilerplate = options.part == HtmlOptions::Part::main ? HtmlReader::Boilerplate::drop
                                                             : HtmlReader::Boilerplate::keep;
  HtmlSurvey survey = survey_html(html, boilerplate);
  if (survey.text == 0 && boilerplate == HtmlReader::Boilerplate::drop) {
    boilerplate = HtmlReader::Boilerplate::keep;  // a page that is nothing but a menu
    survey = survey_html(html, boilerplate);
  }
  if (options.part == HtmlOptions::Part::whole) survey.main = 0;
  page.title = survey.title;
  Converter(html, boilerplate, survey, options.most_bytes).run(page);
  return page;
}

std::string decode_html(std::string_view bytes, std::string_view charset) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  // Many a page that says otherwise is UTF-8, and hardly a text is by accident.
  if (is_utf8(bytes) && !bytes.contains('\0')) return std::string(bytes);
  const bool is_marked = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  for (const std::string& name :
       {std::string(charset), declared_charset(bytes.substr(0, kDeclaredBytes))}) {
    const Result<Encoding> found = find_encoding(trim(name));
    if (is_marked || !found || unit_size(*found) > 1) continue;
    const Encoding meant = *found == Encoding::iso_8859_1 ? Encoding::windows_1252 : *found;
    if (const Result<std::string> text = decode_text(bytes, {.encoding = meant}))
      return spell_undecoded(*text);
  }
  std::optional<Readable> judged = readable(bytes);
  return judged ? std::move(judged->text) : escape_invalid_utf8(bytes);
}

bool is_html(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::string_view start = trim(bytes.substr(0, kDeclaredBytes));
  const auto begins = [&](std::string_view mark) {
    return start.size() > mark.size() && equals_ignoring_case(start.substr(0, mark.size()), mark);
  };
  return begins("<!doctype html") || begins("<html");
}

}  // namespace helve::media
