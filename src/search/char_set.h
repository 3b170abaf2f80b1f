// CharSet: what one character of a pattern may be, as written: ranges, \w, \p{Greek}, and sets of
// sets. Which bytes of ASCII belong to it is always known exactly; of the rest of Unicode only
// whether any character may belong, because the tables are PCRE2's.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "base/result.h"

namespace helve::search {

struct CharSet {
  enum class Operation : unsigned char { unite, intersect, subtract, differ };
  enum class Kind : unsigned char { range, digit, space, word, property };
  struct Item {
    Kind kind = Kind::range;
    bool negated = false;
    char32_t first = 0, last = 0;  // range
    std::string name = {};         // property
    std::bitset<128> ascii = {};   // property: its part of ASCII
  };

  Operation operation = Operation::unite;
  bool negated = false;
  std::vector<Item> items = {};
  std::vector<CharSet> operands = {};  // of unite: more members; of the others: exactly two

  // Set by settle(). In byte mode `bytes` is all there is; otherwise its upper half is empty.
  std::bitset<256> bytes = {};
  bool beyond_ascii = false;  // some character from U+0080 on may belong

  // Computes the members above from the items; done once the set is complete.
  void settle(bool ignore_case, bool unicode);
};

// \p{name}. Fails when PCRE2 knows no such property.
Result<CharSet::Item> property_item(std::string name, bool negated);

// Whether a letter is written large, by Unicode.
bool is_uppercase(char32_t character);

// The set as PCRE2 takes it, in UTF mode; its flag for case is the caller's to set.
std::string to_pcre2(const CharSet& set, bool ignore_case);
// "[\x09\x20-\x7e]" of the bytes, of which there must be some.
std::string bytes_to_class(const std::bitset<256>& bytes);

// What \w, \d and \s stand for in Unicode, as the inside of a PCRE2 class.
extern const std::string_view kWordClass;
extern const std::string_view kSpaceClass;

std::string utf8_of(char32_t character);

// Letters that a character from beyond ASCII folds to: 's' (U+017F) and 'k' (U+212A).
constexpr char32_t kLongS = 0x17f;
constexpr char32_t kKelvinSign = 0x212a;

constexpr bool is_ascii_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char32_t ascii_lower(char32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
constexpr char32_t ascii_upper(char32_t c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

}  // namespace helve::search
