#include "edit/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/diff.h"
#include "base/encoding.h"
#include "base/text.h"

namespace helve::edit {

namespace {

constexpr size_t kMostShownLines = 12;
constexpr size_t kMostShownChars = 160;   // of a line
constexpr size_t kMostTextBytes = 65536;  // of the text that are looked at
constexpr double kLeastAlike = 0.35;      // 1 is the same
constexpr size_t kMostDifferent = 24;     // characters shown of a difference

constexpr size_t kMostTries = 1000;  // to find it with other empty lines

constexpr size_t kShortText = 12;     // characters; such a text is compared by smaller pieces
constexpr double kPartOfALine = 0.5;  // what all pieces of a text in a longer line count
constexpr double kLongestLine = 16;   // of such a line, in lengths of the text

// The pieces of three characters that a text has, or of two when it is short; whitespace and letter
// case left out, as a set that may find a few too many.
class Pieces {
 public:
  explicit Pieces(std::string_view text) {
    const auto counts = [](char c) { return !is_blank(c) && c != '\r' && c != '\n'; };
    if (std::count_if(text.begin(), text.end(), counts) < static_cast<std::ptrdiff_t>(kShortText))
      length_ = 2;
    for (const std::string_view line : split_lines(text)) {
      each(line, [this](std::uint32_t piece) {
        set_[piece] = true;
        ++pieces_;
      });
    }
  }
  size_t pieces() const { return pieces_; }

  // How many pieces of a line are in the set, and how many it has.
  struct Hits {
    size_t shared = 0;
    size_t all = 0;
  };
  Hits count(std::string_view line) const {
    Hits hits;
    each(line, [&](std::uint32_t piece) {
      ++hits.all;
      hits.shared += set_[piece] ? 1 : 0;
    });
    return hits;
  }

 private:
  static constexpr std::uint32_t kSize = 1u << 16;

  template <class Visit>
  void each(std::string_view text, Visit visit) const {
    const std::uint32_t mask = (1u << (8 * length_)) - 1;
    std::uint32_t window = 0;
    size_t seen = 0;
    for (const char c : text) {
      if (is_blank(c) || c == '\r' || c == '\n') continue;
      window = (window << 8) | (static_cast<unsigned char>(c) | 0x20u);
      if (++seen >= length_) visit(((window & mask) * 0x9e3779b1u) >> 16);
    }
    // Short lines such as "}" count too, by all they have.
    if (seen > 0 && seen < length_) visit(((window & mask) * 0x9e3779b1u) >> 16);
  }

  size_t length_ = 3;
  size_t pieces_ = 0;
  std::unique_ptr<bool[]> set_ = std::make_unique<bool[]>(kSize);
};

std::string spaces_in_words(std::string_view blank) {
  if (blank.empty()) return "nothing";
  const auto tabs = std::count(blank.begin(), blank.end(), '\t');
  const auto spaces = std::count(blank.begin(), blank.end(), ' ');
  const auto some = [](auto count, std::string_view what) {
    return count == 1 ? fmt::format("a {}", what) : fmt::format("{} {}s", count, what);
  };
  if (tabs + spaces < static_cast<std::ptrdiff_t>(blank.size())) return "other whitespace";
  if (tabs == 0) return some(spaces, "space");
  if (spaces == 0) return some(tabs, "tab");
  return some(tabs, "tab") + " and " + some(spaces, "space");
}

// "“ (U+201C)", or plain text in quotes.
std::string character_in_words(std::string_view text) {
  const size_t length = std::max<size_t>(1, char_length(text));
  const std::string_view character = text.substr(0, length);
  if (length == 1) return "'" + escape_for_display(character) + "'";
  std::uint32_t code = static_cast<unsigned char>(character[0]) & (0x7fu >> length);
  for (const char c : character.substr(1))
    code = (code << 6) | (static_cast<unsigned char>(c) & 0x3fu);
  return fmt::format("{} (U+{:04X})", escape_for_display(character), code);
}

std::string punctuation_difference(std::string_view actual, std::string_view given,
                                   std::string_view parameter) {
  while (!actual.empty() && !given.empty()) {
    const PlainChar a = plain_char(actual);
    const PlainChar g = plain_char(given);
    if (actual.substr(0, a.length) != given.substr(0, g.length)) break;
    actual.remove_prefix(a.length);
    given.remove_prefix(g.length);
  }
  if (actual.empty())
    return fmt::format("lacks {}, which {} has", character_in_words(given), parameter);
  if (given.empty())
    return fmt::format("has {}, which {} lacks", character_in_words(actual), parameter);
  return fmt::format("has {} where {} has {}", character_in_words(actual), parameter,
                     character_in_words(given));
}

// A letter that ends in a mark of its own, such as e and an accent; empty when there is none.
std::string_view decomposed_letter(std::string_view text) {
  const std::string_view letter = first_chars(text, 2);
  const std::string_view mark = letter.substr(first_chars(letter, 1).size());
  // U+0300 to U+036F.
  const bool combines =
      mark.size() == 2 && (mark[0] == '\xcc' || (mark[0] == '\xcd' && mark[1] <= '\xaf'));
  return combines ? letter : std::string_view();
}

// Letters that look the same; empty when that is not what differs.
std::string composition_difference(std::string_view actual, std::string_view given,
                                   std::string_view parameter) {
  const std::string_view in_file = decomposed_letter(actual);
  const std::string_view in_text = decomposed_letter(given);
  const std::string_view composed = first_chars(in_file.empty() ? actual : given, 1);
  if (in_file.empty() == in_text.empty() || composed.size() < 2) return "";
  const std::string_view parts = in_file.empty() ? in_text : in_file;
  const std::string_view base = first_chars(parts, 1);
  const std::string_view mark = parts.substr(base.size());
  const unsigned code = (mark[0] & 0x1fu) << 6 | (mark[1] & 0x3fu);
  const std::string one = fmt::format("{} as one character", character_in_words(composed));
  const std::string two =
      fmt::format("{} and U+{:04X} as two (decomposed)", character_in_words(base), code);
  return fmt::format("has {} where {} has {}", in_file.empty() ? one : two, parameter,
                     in_file.empty() ? two : one);
}

std::string word_difference(std::string_view actual, std::string_view given,
                            std::string_view parameter) {
  const auto differs = std::mismatch(actual.begin(), actual.end(), given.begin(), given.end());
  auto at = static_cast<size_t>(differs.first - actual.begin());
  while (at > 0 && at < actual.size() && (static_cast<unsigned char>(actual[at]) & 0xc0) == 0x80)
    --at;
  if (const std::string why =
          composition_difference(actual.substr(at), given.substr(at), parameter);
      !why.empty())
    return why;
  // From the start of the word, and of the character.
  while (at > 0 && (std::isalnum(static_cast<unsigned char>(actual[at - 1])) != 0 ||
                    static_cast<signed char>(actual[at - 1]) < 0))
    --at;
  const auto piece = [at](std::string_view line) {
    return line.size() > at
               ? "'" + escape_for_display(preview(line.substr(at), kMostDifferent)) + "'"
               : std::string("its end");
  };
  return fmt::format("has {} where {} has {}", piece(actual), parameter, piece(given));
}

// A line that is text once its undecoded bytes are spelled has been decoded, and is shown so.
std::string spelled(std::string_view line) {
  std::string out = spell_undecoded(line);
  return is_utf8(out) ? out : std::string(line);
}

std::vector<std::string> lines_at(std::string_view content, const Nearest& near) {
  for (size_t i = 0; i < near.line; ++i) content.remove_prefix(content.find('\n') + 1);
  size_t end = 0;
  for (size_t i = 0; i < near.count && end < content.size(); ++i) {
    const size_t newline = content.find('\n', end);
    end = newline == content.npos ? content.size() : newline + 1;
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(content.substr(0, end)))
    lines.push_back(spelled(line));
  return lines;
}

void append_region(std::string& out, const std::vector<std::string>& lines, const Nearest& near) {
  const size_t shown = std::min(near.count, kMostShownLines);
  const size_t width = fmt::formatted_size("{}", near.line + shown);
  for (size_t i = 0; i < shown; ++i)
    fmt::format_to(std::back_inserter(out), "\n{:>{}} | {}", near.line + i + 1, width,
                   visible_whitespace(lines[i]));
  if (near.count > shown)
    fmt::format_to(std::back_inserter(out), "\n… {} more lines", near.count - shown);
}

bool is_empty_line(std::string_view line) { return without_trailing_space(line).empty(); }

// Lines that are those of the text but for how many empty ones there are between them.
struct Spaced {
  Nearest lines;
  size_t after = 0;  // the line of the file that is not followed by as many as in the text
  size_t in_file = 0, in_text = 0;
};

// Whether the text, which begins with a line that is not empty, stands so at the start of `lines`.
std::optional<Spaced> spaced_at(std::span<const std::string_view> lines,
                                std::span<const std::string_view> text) {
  std::optional<Spaced> differs;
  size_t line = 0, i = 0;
  while (i < text.size()) {
    if (line == lines.size() ||
        without_trailing_space(lines[line]) != without_trailing_space(text[i]))
      return {};
    const size_t last = line++, last_text = i++;
    while (line < lines.size() && is_empty_line(lines[line])) ++line;
    while (i < text.size() && is_empty_line(text[i])) ++i;
    const size_t in_file = line - last - 1, in_text = i - last_text - 1;
    if (!differs && i < text.size() && in_file != in_text) differs = {{}, last, in_file, in_text};
    if (i == text.size()) line = last + 1;
  }
  if (differs) differs->lines.count = line;
  return differs;
}

std::optional<Spaced> find_spaced(std::string_view content, std::string_view text) {
  const std::vector<std::string_view> wanted = split_lines(text.substr(0, kMostTextBytes));
  if (wanted.size() < 2 || is_empty_line(wanted.front())) return {};
  const std::vector<std::string_view> lines = split_lines(content);
  const std::string_view first = without_trailing_space(wanted.front());
  size_t tries = 0;
  for (size_t i = 0; i < lines.size() && tries < kMostTries; ++i) {
    if (without_trailing_space(lines[i]) != first) continue;
    ++tries;
    if (auto found = spaced_at(std::span(lines).subspan(i), wanted)) {
      found->lines.line = i;
      found->after += i;
      return found;
    }
  }
  return {};
}

// Why the lines nearest to the text are not it; empty when nobody can tell.
std::string reason(const std::vector<std::string>& lines, const Nearest& near,
                   const std::vector<std::string_view>& given, std::string_view parameter) {
  for (size_t i = 0; i < near.count && i < given.size(); ++i) {
    // The last line of the text may end before the line does.
    const std::string_view line = lines[i];
    const std::string_view actual = given[i].ends_with('\n') ? line : without_ending(line);
    const std::string why = difference(actual, given[i], parameter);
    if (!why.empty()) return fmt::format(", where line {} {}", near.line + i + 1, why);
  }
  if (near.count >= given.size()) return "";
  return fmt::format(
      ", after which {} has '{}'", parameter,
      escape_for_display(preview(without_ending(given[near.count]), kMostDifferent)));
}

}  // namespace

Nearest find_nearest(std::string_view content, std::string_view text) {
  text = text.substr(0, kMostTextBytes);
  const Pieces wanted(text);
  const size_t height = std::max<size_t>(1, count_lines(text));
  const auto in_text = static_cast<double>(wanted.pieces());
  if (in_text == 0) return {};
  // A window of as many lines as the text has goes down the file; what enters adds to the sums and
  // what leaves is taken off again.
  std::vector<Pieces::Hits> window(height);
  double shared = 0;
  double all = 0;
  double best = 0;
  Nearest nearest;
  size_t line = 0;
  for (std::string_view rest = content; !rest.empty(); ++line) {
    const size_t newline = rest.find('\n');
    const std::string_view current = rest.substr(0, newline);
    rest.remove_prefix(newline == rest.npos ? rest.size() : newline + 1);
    Pieces::Hits& slot = window[line % height];
    shared -= static_cast<double>(slot.shared);
    all -= static_cast<double>(slot.all);
    slot = wanted.count(current);
    shared += static_cast<double>(slot.shared);
    all += static_cast<double>(slot.all);
    double alike = 2 * std::min(shared, in_text) / (in_text + all);
    // A text of one line may be meant to stand in a longer one.
    if (height == 1 && all <= in_text * kLongestLine)
      alike = std::max(alike, kPartOfALine * std::min(shared, in_text) / in_text);
    if (alike > best) {
      best = alike;
      const size_t count = std::min(height, line + 1);
      nearest = {line + 1 - count, count};
    }
  }
  return best >= kLeastAlike ? nearest : Nearest{};
}

std::string visible_whitespace(std::string_view line) {
  const std::string_view body = without_ending(line);
  const bool dos = line.ends_with("\r\n");
  const std::string_view text = without_trailing_space(body);
  const size_t indent = indent_of(text).size();
  std::string out;
  const auto show = [&out](std::string_view blank) {
    for (const char c : blank) {
      if (c == '\t')
        out += "→";
      else if (c == ' ')
        out += "·";
      else
        out += escape_for_display({&c, 1});
    }
  };
  show(text.substr(0, indent));
  const std::string_view middle = text.substr(indent);
  const std::string_view shown = first_chars(middle, kMostShownChars);
  for (size_t at = 0; at < shown.size();) {
    const size_t tab = std::min(shown.find('\t', at), shown.size());
    out += escape_for_display(shown.substr(at, tab - at));
    if (tab < shown.size()) out += "→";
    at = tab + 1;
  }
  if (shown.size() < middle.size()) out += "…";
  show(body.substr(text.size()));
  if (text.size() < body.size()) out += "¶";
  if (dos) out += "␍";
  return out;
}

std::string difference(std::string_view actual, std::string_view given,
                       std::string_view parameter) {
  if (actual == given) return "";
  if (without_ending(actual) == without_ending(given)) {
    const auto ending = [](std::string_view line) {
      const std::string_view end = ending_of(line);
      return end.empty() ? "no line ending" : end == "\n" ? "\\n" : "\\r\\n";
    };
    return fmt::format("ends in {} where {} has {}", ending(actual), parameter, ending(given));
  }
  const std::string_view actual_text = without_trailing_space(actual);
  const std::string_view given_text = without_trailing_space(given);
  if (actual_text == given_text) {
    return fmt::format("ends in {} where {} has {}",
                       spaces_in_words(without_ending(actual).substr(actual_text.size())),
                       parameter, spaces_in_words(without_ending(given).substr(given_text.size())));
  }
  const std::string_view actual_indent = indent_of(actual_text);
  const std::string_view given_indent = indent_of(given_text);
  if (actual_text.substr(actual_indent.size()) == given_text.substr(given_indent.size())) {
    return fmt::format("begins with {} where {} has {}", spaces_in_words(actual_indent), parameter,
                       spaces_in_words(given_indent));
  }
  std::string plain_actual;
  std::string plain_given;
  append_folded(plain_actual, actual, Stage::punctuation);
  append_folded(plain_given, given, Stage::punctuation);
  if (trim(plain_actual) == trim(plain_given)) {
    return punctuation_difference(actual_text.substr(actual_indent.size()),
                                  given_text.substr(given_indent.size()), parameter);
  }
  return word_difference(actual_text.substr(actual_indent.size()),
                         given_text.substr(given_indent.size()), parameter);
}

Error not_found(std::string_view content, std::string_view text, const Names& names) {
  Error error{Code::not_found, fmt::format("{} is not in {}", names.parameter, names.file),
              fmt::format("read {} and copy the text exactly as it is there", names.file),
              "text_not_found"};
  const std::optional<Spaced> spaced = find_spaced(content, text);
  const Nearest near = spaced ? spaced->lines : find_nearest(content, text);
  if (near.count == 0) {
    error.message += content.empty() ? ", which is empty" : ", nor anything like it";
    return error;
  }
  const std::vector<std::string> lines = lines_at(content, near);
  error.message += near.count == 1 ? fmt::format("; nearest is line {}", near.line + 1)
                                   : fmt::format("; nearest are lines {}–{}", near.line + 1,
                                                 near.line + near.count);
  error.message += spaced
                       ? fmt::format(", where {} empty {} line {} and {} has {}", spaced->in_file,
                                     spaced->in_file == 1 ? "line follows" : "lines follow",
                                     spaced->after + 1, names.parameter, spaced->in_text)
                       : reason(lines, near, split_lines(text), names.parameter);
  error.message += ':';
  append_region(error.message, lines, near);
  error.hint =
      fmt::format("copy the text exactly as {} has it (shown: → tab, · space)", names.file);
  return error;
}

}  // namespace helve::edit
