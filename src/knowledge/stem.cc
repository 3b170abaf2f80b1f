#include "knowledge/stem.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace helve::knowledge {
namespace {

constexpr size_t kShortest = 3;

struct Rule {
  std::string_view suffix, instead;
};

// In each table the longest suffix that a word has stands first among those it has.
constexpr Rule kDerived[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"abli", "able"},   {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"}};
constexpr Rule kCompound[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                              {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
constexpr Rule kEndings[] = {{"al", ""},   {"ance", ""}, {"ence", ""}, {"er", ""},    {"ic", ""},
                             {"able", ""}, {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""},
                             {"ent", ""},  {"ion", ""},  {"ou", ""},   {"ism", ""},   {"ate", ""},
                             {"iti", ""},  {"ous", ""},  {"ive", ""},  {"ize", ""}};

bool is_vowel(std::string_view word, size_t i) {
  switch (word[i]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return true;
    case 'y':
      return i > 0 && !is_vowel(word, i - 1);
    default:
      return false;
  }
}

bool has_vowel(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (is_vowel(word, i)) return true;
  }
  return false;
}

// How often a vowel is followed by a consonant.
int measure(std::string_view word) {
  int count = 0;
  bool after_vowel = false;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool vowel = is_vowel(word, i);
    if (after_vowel && !vowel) ++count;
    after_vowel = vowel;
  }
  return count;
}

bool ends_double(std::string_view word) {
  const size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && !is_vowel(word, n - 1);
}

// Consonant, vowel, consonant, the last of which is none of w, x, y: as in "hop".
bool ends_short(std::string_view word) {
  const size_t n = word.size();
  return n >= 3 && !is_vowel(word, n - 3) && is_vowel(word, n - 2) && !is_vowel(word, n - 1) &&
         std::string_view("wxy").find(word[n - 1]) == std::string_view::npos;
}

std::string_view before(const std::string& word, std::string_view suffix) {
  return std::string_view(word).substr(0, word.size() - suffix.size());
}

void replace_end(std::string& word, std::string_view suffix, std::string_view instead) {
  word.erase(word.size() - suffix.size());
  word += instead;
}

void drop_plural(std::string& word) {
  if (word.ends_with("sses") || word.ends_with("ies"))
    word.erase(word.size() - 2);
  else if (word.ends_with('s') && !word.ends_with("ss"))
    word.pop_back();
}

void drop_tense(std::string& word) {
  if (word.ends_with("eed")) {
    if (measure(before(word, "eed")) > 0) word.pop_back();
    return;
  }
  const std::string_view suffix = word.ends_with("ed") ? "ed" : word.ends_with("ing") ? "ing" : "";
  if (suffix.empty() || !has_vowel(before(word, suffix))) return;
  word.erase(word.size() - suffix.size());
  if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz"))
    word += 'e';
  else if (ends_double(word) && std::string_view("lsz").find(word.back()) == std::string_view::npos)
    word.pop_back();
  else if (measure(word) == 1 && ends_short(word))
    word += 'e';
}

// Applies the first rule whose suffix the word has, if what is left is long enough.
void apply(std::span<const Rule> rules, std::string& word, int least) {
  const auto rule =
      std::ranges::find_if(rules, [&](const Rule& each) { return word.ends_with(each.suffix); });
  if (rule == rules.end()) return;
  const std::string_view rest = before(word, rule->suffix);
  if (measure(rest) < least) return;
  if (rule->suffix == "ion" && !rest.ends_with('s') && !rest.ends_with('t')) return;
  replace_end(word, rule->suffix, rule->instead);
}

void tidy_end(std::string& word) {
  if (word.ends_with('e')) {
    const std::string_view rest = before(word, "e");
    const int length = measure(rest);
    if (length > 1 || (length == 1 && !ends_short(rest))) word.pop_back();
  }
  if (word.ends_with("ll") && measure(word) > 1) word.pop_back();
}

}  // namespace

void stem(std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  if (word.size() < kShortest || !is_plain) return;
  drop_plural(word);
  drop_tense(word);
  // Only after a consonant, as in Porter's later algorithm: "deploys" and "deployment" have a stem.
  if (word.ends_with('y') && has_vowel(before(word, "y")) && !is_vowel(word, word.size() - 2))
    word.back() = 'i';
  apply(kDerived, word, 1);
  apply(kCompound, word, 1);
  apply(kEndings, word, 2);
  tidy_end(word);
}

}  // namespace helve::knowledge
