#include "edit/fold.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace helve::edit {

namespace {

struct Fold {
  std::string_view from, to;
};
// Sorted by their bytes.
constexpr Fold kFolds[] = {
    {"\u00a0", " "},   {"\u2002", " "},  {"\u2003", " "},  {"\u2004", " "},  {"\u2005", " "},
    {"\u2006", " "},   {"\u2007", " "},  {"\u2008", " "},  {"\u2009", " "},  {"\u200a", " "},
    {"\u200b", ""},    {"\u2010", "-"},  {"\u2011", "-"},  {"\u2012", "-"},  {"\u2013", "-"},
    {"\u2014", "-"},   {"\u2015", "-"},  {"\u2018", "'"},  {"\u2019", "'"},  {"\u201a", "'"},
    {"\u201b", "'"},   {"\u201c", "\""}, {"\u201d", "\""}, {"\u201e", "\""}, {"\u201f", "\""},
    {"\u2026", "..."}, {"\u202f", " "},  {"\u2032", "'"},  {"\u2033", "\""}, {"\u205f", " "},
    {"\u2060", ""},    {"\u2212", "-"},  {"\u3000", " "},  {"\ufeff", ""},
};

}  // namespace

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::exact:
      return "exact";
    case Stage::line_endings:
      return "line_endings";
    case Stage::trailing_whitespace:
      return "trailing_whitespace";
    case Stage::indentation:
      return "indentation";
    case Stage::punctuation:
      return "punctuation";
  }
  return "";
}

std::string_view describe(Stage stage) {
  switch (stage) {
    case Stage::exact:
      return "";
    case Stage::line_endings:
      return "ignoring line endings";
    case Stage::trailing_whitespace:
      return "ignoring trailing whitespace";
    case Stage::indentation:
      return "ignoring indentation";
    case Stage::punctuation:
      return "ignoring Unicode punctuation";
  }
  return "";
}

std::string_view indent_of(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), is_blank);
  return line.substr(0, static_cast<size_t>(end - line.begin()));
}

std::string_view ending_of(std::string_view line) {
  if (line.ends_with("\r\n")) return line.substr(line.size() - 2);
  if (line.ends_with('\n')) return line.substr(line.size() - 1);
  return {};
}

std::string_view without_ending(std::string_view line) {
  line.remove_suffix(ending_of(line).size());
  return line;
}

std::string_view without_trailing_space(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

PlainChar plain_char(std::string_view text) {
  const size_t length = std::max<size_t>(1, char_length(text));
  const std::string_view character = text.substr(0, length);
  if (length == 1) return {1, character};
  const auto fold = std::lower_bound(std::begin(kFolds), std::end(kFolds), character,
                                     [](const Fold& f, std::string_view c) { return f.from < c; });
  const bool known = fold != std::end(kFolds) && fold->from == character;
  return {length, known ? fold->to : character};
}

void append_plain(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto ascii_end = std::find_if(text.begin(), text.end(),
                                        [](char c) { return static_cast<signed char>(c) < 0; });
    const auto ascii = static_cast<size_t>(ascii_end - text.begin());
    out += text.substr(0, ascii);
    text.remove_prefix(ascii);
    if (text.empty()) return;
    const PlainChar next = plain_char(text);
    out += next.plain;
    text.remove_prefix(next.length);
  }
}

void append_folded(std::string& out, std::string_view line, Stage stage) {
  const bool ended = line.ends_with('\n');
  switch (stage) {
    case Stage::exact:
      out += line;
      return;
    case Stage::line_endings:
      out += without_ending(line);
      break;
    case Stage::trailing_whitespace:
      out += without_trailing_space(line);
      break;
    case Stage::indentation: {
      const std::string_view text = without_trailing_space(line);
      out += text.substr(indent_of(text).size());
      break;
    }
    case Stage::punctuation: {
      // Spaces that are not ASCII count as indentation and trailing whitespace too.
      const size_t start = out.size();
      append_plain(out, without_ending(line));
      const std::string_view text = without_trailing_space(std::string_view(out).substr(start));
      out.resize(start + text.size());
      out.erase(start, indent_of(text).size());
      break;
    }
  }
  if (ended) out += '\n';
}

}  // namespace helve::edit
