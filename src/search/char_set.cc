#include "search/char_set.h"

#include <fmt/core.h>

#include <memory>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/text.h"

namespace helve::search {

// Alphabetic, marks, decimal digits, connecting punctuation and the two joiners, as Unicode's
// technical standard 18 defines a word character.
const std::string_view kWordClass =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149})"
    R"(\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
const std::string_view kSpaceClass =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

std::string utf8_of(char32_t c) {
  std::string out;
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  const auto rest = [&](int shift) { byte(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6);
    rest(0);
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    rest(6);
    rest(0);
  } else {
    byte(0xf0 | c >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
  return out;
}

namespace {

using Item = CharSet::Item;
using Kind = CharSet::Kind;

constexpr char32_t kLastCharacter = 0x10ffff;
constexpr char32_t kFirstBeyond = 0x80;
constexpr std::string_view kUppercase = "Uppercase", kLowercase = "Lowercase";

bool in_range(const Item& item, char32_t c) { return c >= item.first && c <= item.last; }

bool range_has(const Item& item, char32_t c, bool ignore_case) {
  if (in_range(item, c)) return true;
  if (!ignore_case) return false;
  if (in_range(item, ascii_lower(c)) || in_range(item, ascii_upper(c))) return true;
  return (ascii_lower(c) == 's' && in_range(item, kLongS)) ||
         (ascii_lower(c) == 'k' && in_range(item, kKelvinSign));
}

// For ASCII, and in byte mode for every byte.
bool item_has(const Item& item, char32_t c, bool ignore_case) {
  bool has = false;
  switch (item.kind) {
    case Kind::range:
      has = range_has(item, c, ignore_case);
      break;
    case Kind::digit:
      has = c >= '0' && c <= '9';
      break;
    case Kind::space:
      has = c == ' ' || (c >= '\t' && c <= '\r');
      break;
    case Kind::word:
      has = is_ascii_word(c);
      break;
    case Kind::property:
      has = c < kFirstBeyond && (item.ascii[c] || (ignore_case && (item.ascii[ascii_lower(c)] ||
                                                                   item.ascii[ascii_upper(c)])));
      break;
  }
  return has != item.negated;
}

bool has(const CharSet& set, char32_t c, bool ignore_case) {
  bool found = false;
  const auto operand = [&](size_t i) { return has(set.operands[i], c, ignore_case); };
  switch (set.operation) {
    case CharSet::Operation::unite:
      found = std::ranges::any_of(set.items,
                                  [&](const Item& item) { return item_has(item, c, ignore_case); });
      for (size_t i = 0; !found && i < set.operands.size(); ++i) found = operand(i);
      break;
    case CharSet::Operation::intersect:
      found = operand(0) && operand(1);
      break;
    case CharSet::Operation::subtract:
      found = operand(0) && !operand(1);
      break;
    case CharSet::Operation::differ:
      found = operand(0) != operand(1);
      break;
  }
  return found != set.negated;
}

// How much of what lies beyond ASCII is in: an under- and an over-estimate.
struct Beyond {
  bool surely_all = false;
  bool maybe_some = false;
};

Beyond beyond(const Item& item, bool ignore_case) {
  if (item.kind != Kind::range) return {.maybe_some = true};
  if (item.negated) return {.maybe_some = true};
  Beyond out{.surely_all = item.first <= kFirstBeyond && item.last == kLastCharacter,
             .maybe_some = item.last >= kFirstBeyond};
  if (ignore_case) {
    for (const char32_t letter : {U's', U'k'})
      out.maybe_some |= in_range(item, letter) || in_range(item, ascii_upper(letter));
  }
  return out;
}

Beyond beyond(const CharSet& set, bool ignore_case) {
  Beyond out;
  if (set.operation == CharSet::Operation::unite) {
    const auto add = [&](Beyond more) {
      out.surely_all |= more.surely_all;
      out.maybe_some |= more.maybe_some;
    };
    for (const Item& item : set.items) add(beyond(item, ignore_case));
    for (const CharSet& operand : set.operands) add(beyond(operand, ignore_case));
  } else {
    out.maybe_some = true;
  }
  if (set.negated) return {.surely_all = !out.maybe_some, .maybe_some = !out.surely_all};
  return out;
}

void append_range(std::string& out, char32_t first, char32_t last) {
  out += fmt::format("\\x{{{:x}}}", static_cast<unsigned>(first));
  if (last != first) out += fmt::format("-\\x{{{:x}}}", static_cast<unsigned>(last));
}

// The surrogates are no characters, and PCRE2 refuses a range that ends in one.
void append_characters(std::string& out, char32_t first, char32_t last) {
  if (first >= 0xd800 && first <= 0xdfff) first = 0xe000;
  if (last >= 0xd800 && last <= 0xdfff) last = 0xd7ff;
  if (first <= last) append_range(out, first, last);
}

// Letters of one case are letters of any when case is ignored; PCRE2 does not fold properties.
std::string property_class(const Item& item, bool ignore_case) {
  const bool is_category = item.name == "Lu" || item.name == "Ll" || item.name == "Lt";
  if (ignore_case && is_category) return R"(\p{L&})";
  const std::string own = R"(\p{)" + item.name + "}";
  const bool is_case = item.name == kUppercase || item.name == kLowercase;
  return ignore_case && is_case ? own + R"(\p{Changes_When_Casemapped})" : own;
}

void append_item(std::string& inside, std::vector<std::string>& others, const Item& item,
                 bool ignore_case) {
  switch (item.kind) {
    case Kind::range:
      if (item.negated) {
        std::string range;
        append_characters(range, item.first, item.last);
        others.push_back("[^" + range + "]");
      } else {
        append_characters(inside, item.first, item.last);
      }
      break;
    case Kind::digit:
      inside += item.negated ? R"(\P{Nd})" : R"(\p{Nd})";
      break;
    case Kind::property:
    case Kind::space:
    case Kind::word: {
      const std::string members = item.kind == Kind::property ? property_class(item, ignore_case)
                                  : item.kind == Kind::word   ? std::string(kWordClass)
                                                              : std::string(kSpaceClass);
      if (item.negated)
        others.push_back(fmt::format("[^{}]", members));
      else
        inside += members;
      break;
    }
  }
}

// Asks PCRE2's tables.
class PropertyTest {
 public:
  explicit PropertyTest(const std::string& name) {
    if (name.find_first_of("{}\\") != std::string::npos) return;
    const std::string expression = R"(\p{)" + name + "}";
    int failure = 0;
    size_t offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                              PCRE2_UTF, &failure, &offset, nullptr));
    data_.reset(pcre2_match_data_create(1, nullptr));
  }
  bool is_known() const { return code_ && data_; }
  bool has(std::string_view character) const {
    return is_known() && pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(character.data()),
                                     character.size(), 0, 0, data_.get(), nullptr) > 0;
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
  std::unique_ptr<pcre2_match_data, Free> data_;
};

std::string united(const CharSet& set, bool ignore_case) {
  std::string inside;
  std::vector<std::string> others;
  for (const Item& item : set.items) append_item(inside, others, item, ignore_case);
  for (const CharSet& operand : set.operands) others.push_back(to_pcre2(operand, ignore_case));
  if (others.empty() && inside.empty()) return set.negated ? "(?s:.)" : "(?!)";
  if (others.empty()) return (set.negated ? "[^" : "[") + inside + "]";
  if (!inside.empty()) others.push_back("[" + inside + "]");
  const std::string any = "(?:" + join(others, "|") + ")";
  return set.negated ? "(?:(?!" + any + ")(?s:.))" : any;
}

}  // namespace

void CharSet::settle(bool ignore_case, bool unicode) {
  const char32_t end = unicode ? 128 : 256;
  for (char32_t c = 0; c < end; ++c) bytes[c] = has(*this, c, ignore_case);
  beyond_ascii = unicode && beyond(*this, ignore_case).maybe_some;
}

std::string to_pcre2(const CharSet& set, bool ignore_case) {
  if (set.operation == CharSet::Operation::unite) return united(set, ignore_case);
  const std::string left = to_pcre2(set.operands[0], ignore_case);
  const std::string right = to_pcre2(set.operands[1], ignore_case);
  std::string both;
  switch (set.operation) {
    case CharSet::Operation::intersect:
      both = fmt::format("(?:(?={}){})", left, right);
      break;
    case CharSet::Operation::subtract:
      both = fmt::format("(?:(?!{}){})", right, left);
      break;
    default:
      both = fmt::format("(?:(?!{0}){1}|(?!{1}){0})", left, right);
  }
  return set.negated ? fmt::format("(?:(?!{})(?s:.))", both) : both;
}

std::string bytes_to_class(const std::bitset<256>& bytes) {
  if (bytes.all()) return R"([\x00-\xff])";
  std::string out = "[";
  for (unsigned first = 0; first < 256; ++first) {
    if (!bytes[first]) continue;
    unsigned last = first;
    while (last < 255 && bytes[last + 1]) ++last;
    out += fmt::format("\\x{:02x}", first);
    if (last > first) out += fmt::format("-\\x{:02x}", last);
    first = last;
  }
  return out + "]";
}

Result<CharSet::Item> property_item(std::string name, bool negated) {
  if (name.starts_with('^')) {
    negated = !negated;
    name.erase(0, 1);
  }
  if (const size_t equals = name.find_first_of("=:"); equals != std::string::npos)
    name.erase(0, equals + 1);
  constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {
      {"letter", "L"},
      {"uppercase", kUppercase},
      {"upper", kUppercase},
      {"uppercaseletter", "Lu"},
      {"lowercase", kLowercase},
      {"lower", kLowercase},
      {"lowercaseletter", "Ll"},
      {"number", "N"},
      {"decimalnumber", "Nd"},
      {"digit", "Nd"},
      {"punctuation", "P"},
      {"symbol", "S"},
      {"mark", "M"},
      {"separator", "Z"},
      {"control", "Cc"},
      {"other", "C"},
  };
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ')
      plain += static_cast<char>(ascii_lower(static_cast<unsigned char>(c)));
  }
  for (const auto& [long_name, short_name] : kLongNames) {
    if (plain == long_name) name = short_name;
  }
  Item item{.kind = Kind::property, .negated = negated, .name = name};
  const PropertyTest test(name);
  if (!test.is_known()) {
    return Error{Code::invalid_argument, fmt::format("no Unicode property '{}'", name),
                 "general categories such as \\p{Lu} and scripts such as \\p{Greek} are known"};
  }
  for (unsigned c = 0; c < 128; ++c) item.ascii[c] = test.has(std::string(1, static_cast<char>(c)));
  return item;
}

bool is_uppercase(char32_t character) {
  if (character < kFirstBeyond) return character >= 'A' && character <= 'Z';
  return PropertyTest(std::string(kUppercase)).has(utf8_of(character));
}

}  // namespace helve::search
