// Escapes and sets of a pattern: \n, \x{e9}, \w, \b, \1, [a-z&&[^b]].
#include <fmt/core.h>

#include "base/text.h"
#include "search/regex_parser.h"

namespace helve::search {
namespace {

struct PosixClass {
  std::string_view name;
  std::string_view ranges;  // pairs of first and last
};
constexpr PosixClass kPosixClasses[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", std::string_view("\0\x7f", 2)},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZaz__"},
    {"xdigit", "09AFaf"},
};

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_punctuation(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= ' ' && byte < 0x7f && !is_ascii_letter(byte) && !(c >= '0' && c <= '9');
}

}  // namespace

Result<Node> RegexParser::escape() {
  const size_t start = at_;
  if (at_ + 1 >= pattern_.size()) return wrong(start, "nothing follows the \\");
  if (std::optional<CharSet::Item> item = TRY(class_escape(start))) {
    CharSet set;
    set.items.push_back(std::move(*item));
    return set_node(std::move(set));
  }
  switch (peek(1)) {
    case 'A':
      at_ += 2;
      return simple(Node::Kind::text_start);
    case 'z':
      at_ += 2;
      return simple(Node::Kind::text_end);
    case 'b':
    case 'B':
    case '<':
    case '>':
      return word_escape(start);
    case 'g':
    case 'k':
      return reference_escape(start);
    default:
      break;
  }
  if (peek(1) >= '1' && peek(1) <= '9') return reference_escape(start);
  if (const std::optional<char32_t> character = TRY(character_escape(start))) {
    if (!flags_.unicode && *character > 0x7f) byte_mode_ = true;
    return literal(*character, start);
  }
  return wrong(start, "no such escape", kDoubleBackslash);
}

Result<Node> RegexParser::word_escape(size_t start) {
  const char letter = peek(1);
  at_ += 2;
  if (letter == 'B') return simple(Node::Kind::not_word_boundary);
  if (letter == '<') return simple(Node::Kind::word_start);
  if (letter == '>') return simple(Node::Kind::word_end);
  if (take("{start}")) return simple(Node::Kind::word_start);
  if (take("{end}")) return simple(Node::Kind::word_end);
  if (take("{start-half}")) return simple(Node::Kind::word_start_half);
  if (take("{end-half}")) return simple(Node::Kind::word_end_half);
  if (peek() == '{' && !(peek(1) >= '0' && peek(1) <= '9'))
    return wrong(start, "a boundary is \\b{start}, \\b{end}, \\b{start-half} or \\b{end-half}");
  return simple(Node::Kind::word_boundary);
}

Result<Node> RegexParser::reference_escape(size_t start) {
  const char letter = peek(1);
  at_ += letter == 'g' || letter == 'k' ? 2 : 1;
  if (letter == 'k') {
    for (const auto& [open, close] : {std::pair{'<', '>'}, {'{', '}'}, {'\'', '\''}}) {
      if (peek() != open) continue;
      ++at_;
      return named_reference(TRY(group_name(close)), start);
    }
    return wrong(start, "the name of a group is missing", "write \\k<name>");
  }
  const bool braced = letter == 'g' && take("{");
  const bool backwards = letter == 'g' && take("-");
  std::uint32_t number = 0;
  size_t digits = 0;
  for (; peek() >= '0' && peek() <= '9' && digits < 3; ++digits)
    number = number * 10 + static_cast<std::uint32_t>(pattern_[at_++] - '0');
  if (digits == 0 || (braced && !take("}")))
    return wrong(start, "the number of a group is missing", "write \\1 or \\g{1}");
  if (backwards) {
    if (number > groups_) return wrong(start, "there are not that many groups before it");
    number = groups_ + 1 - number;
  }
  return back_reference(number, start);
}

// \n, \x41, \u00e9, \. : one character; nothing when it is another escape.
Result<std::optional<char32_t>> RegexParser::character_escape(size_t start) {
  constexpr std::pair<char, char32_t> kControls[] = {
      {'a', 7}, {'f', 12}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'v', 11}, {'e', 27}};
  const char letter = peek(1);
  for (const auto& [name, character] : kControls) {
    if (letter != name) continue;
    at_ += 2;
    return character;
  }
  if (letter == 'x' || letter == 'u' || letter == 'U') {
    at_ += 2;
    return TRY(hex_escape(start, letter == 'x' ? 2 : letter == 'u' ? 4 : 8));
  }
  if (!is_punctuation(letter)) return std::optional<char32_t>();
  at_ += 2;
  return static_cast<char32_t>(static_cast<unsigned char>(letter));
}

Result<char32_t> RegexParser::hex_escape(size_t start, size_t digits) {
  const bool braced = take("{");
  char32_t value = 0;
  size_t count = 0;
  for (; is_hex(peek()) && count < (braced ? 8 : digits); ++count) {
    const char c = pattern_[at_++];
    value = value * 16 + static_cast<char32_t>(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  if (braced ? count == 0 || !take("}") : count != digits)
    return wrong(start, "this escape needs hexadecimal digits", "write \\x41, \\x{e9} or \\u00e9");
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
    return wrong(start, "this is no character of Unicode", "the last one is \\x{10ffff}");
  if (!flags_.unicode && value > 0xff) return wrong(start, "(?-u) has no characters over \\xff");
  return value;
}

// \d, \w, \s, \p{…} and their opposites; nothing when it is another escape.
Result<std::optional<CharSet::Item>> RegexParser::class_escape(size_t start) {
  const char letter = peek(1);
  const bool negated = letter >= 'A' && letter <= 'Z';
  CharSet::Item item{.negated = negated};
  switch (letter | 32) {
    case 'd':
      item.kind = CharSet::Kind::digit;
      break;
    case 'w':
      item.kind = CharSet::Kind::word;
      break;
    case 's':
      item.kind = CharSet::Kind::space;
      break;
    case 'p': {
      at_ += 2;
      std::string name(1, peek());
      if (take("{")) {
        const size_t end = pattern_.find('}', at_);
        if (end == std::string_view::npos) return wrong(start, "this property is not closed");
        name = pattern_.substr(at_, end - at_);
        at_ = end + 1;
      } else {
        ++at_;
      }
      Result<CharSet::Item> property = property_item(std::move(name), negated);
      if (!property) return wrong(start, property.error().message, property.error().hint);
      return std::optional<CharSet::Item>(std::move(*property));
    }
    default:
      return std::optional<CharSet::Item>();
  }
  if (!is_ascii_letter(static_cast<unsigned char>(letter))) return std::optional<CharSet::Item>();
  at_ += 2;
  return std::optional<CharSet::Item>(std::move(item));
}

// At a [ : the set up to its ].
Result<CharSet> RegexParser::bracket() {
  const size_t start = at_++;
  if (++depth_ > kMaxDepth)
    return wrong(start, fmt::format("more than {} sets within each other", kMaxDepth));
  const bool negated = take("^");
  CharSet out = TRY(set_union(start));
  for (const auto& [sign, operation] : {std::pair{"&&", CharSet::Operation::intersect},
                                        {"--", CharSet::Operation::subtract},
                                        {"~~", CharSet::Operation::differ}}) {
    while (take(sign)) {
      CharSet both{.operation = operation};
      both.operands.push_back(std::move(out));
      both.operands.push_back(TRY(set_union(start)));
      out = std::move(both);
    }
  }
  if (!take("]")) return wrong(start, "this set mixes &&, -- and ~~", "put parts into [ ]");
  --depth_;
  out.negated = negated;
  if (!flags_.unicode && negated) byte_mode_ = true;
  return out;
}

Result<CharSet> RegexParser::set_union(size_t start) {
  CharSet out;
  // A ] that comes first is a member.
  for (bool first = true;; first = false) {
    if (flags_.verbose) skip_blanks();
    if (at_end()) return wrong(start, "this set is not closed");
    if (peek() == ']' && !(first && (pattern_[at_ - 1] == '[' || pattern_[at_ - 1] == '^'))) break;
    if (looking_at("&&") || looking_at("~~")) break;
    if (looking_at("--") && !first && peek(2) != ']') break;
    TRY(set_member(out, start));
  }
  return out;
}

Result<void> RegexParser::set_member(CharSet& set, size_t start) {
  if (peek() == '[') {
    if (TRY(posix_class(set))) return {};
    set.operands.push_back(TRY(bracket()));
    return {};
  }
  if (peek() == '\\') {
    if (std::optional<CharSet::Item> item = TRY(class_escape(at_))) {
      if (!flags_.unicode && item->negated) byte_mode_ = true;
      set.items.push_back(std::move(*item));
      return {};
    }
  }
  const size_t at = at_;
  const char32_t first = TRY(set_character(start));
  char32_t last = first;
  if (peek() == '-' && peek(1) != ']' && peek(1) != '-' && at_ + 1 < pattern_.size()) {
    ++at_;
    if (peek() == '[') return wrong(at, "a range needs a character at its end");
    last = TRY(set_character(start));
    if (last < first) return wrong(at, "this range ends before it begins");
  }
  if (!flags_.unicode && last > 0x7f) byte_mode_ = true;
  set.items.push_back({.first = first, .last = last});
  return {};
}

Result<char32_t> RegexParser::set_character(size_t start) {
  if (at_end()) return wrong(start, "this set is not closed");
  const size_t at = at_;
  if (peek() != '\\') {
    const char32_t character = next_character();
    note_literal(character);
    return character;
  }
  if (peek(1) == 'b') {  // a backspace in PCRE, an error in Rust: too easily meant otherwise
    return wrong(at, "\\b has no meaning in a set", "write \\x08 for a backspace");
  }
  if (const std::optional<char32_t> character = TRY(character_escape(at))) {
    note_literal(*character);
    return *character;
  }
  return wrong(at, "no such escape in a set");
}

// [:alpha:] or [:^alpha:] inside a set.
Result<bool> RegexParser::posix_class(CharSet& set) {
  if (!looking_at("[:")) return false;
  const size_t end = pattern_.find(":]", at_ + 2);
  if (end == std::string_view::npos) return false;
  std::string_view name = pattern_.substr(at_ + 2, end - at_ - 2);
  const bool negated = name.starts_with('^');
  if (negated) name.remove_prefix(1);
  for (const PosixClass& known : kPosixClasses) {
    if (known.name != name) continue;
    CharSet inside{.negated = negated};
    for (size_t i = 0; i < known.ranges.size(); i += 2) {
      inside.items.push_back({.first = static_cast<unsigned char>(known.ranges[i]),
                              .last = static_cast<unsigned char>(known.ranges[i + 1])});
    }
    if (negated && !flags_.unicode) byte_mode_ = true;
    set.operands.push_back(std::move(inside));
    at_ = end + 2;
    return true;
  }
  return false;
}

}  // namespace helve::search
