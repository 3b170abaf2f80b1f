#include "search/char_test.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace helve::search {
namespace {

constexpr size_t kRemembered = 512;  // characters

}  // namespace

void CharTest::Free::operator()(pcre2_code* code) const { pcre2_code_free(code); }

std::uint32_t CharTest::add(const CharSet& set, bool ignore_case, bool unicode) {
  const std::string expression = (ignore_case ? "(?i)" : "(?-i)") + to_pcre2(set, ignore_case);
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].expression == expression && sets_[i].bytes == set.bytes &&
        sets_[i].beyond_ascii == set.beyond_ascii)
      return static_cast<std::uint32_t>(i);
  }
  Set& added = sets_.emplace_back(Set{expression, set.bytes, set.beyond_ascii});
  if (unicode && set.beyond_ascii) {
    int number = 0;
    size_t offset = 0;
    added.code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()),
                                   expression.size(), PCRE2_UTF | PCRE2_ANCHORED, &number, &offset,
                                   nullptr));
  }
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

bool CharTest::ask(const Set& set, char32_t character) const {
  if (!set.code) return false;
  const std::string text = utf8_of(character);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  return data && pcre2_match(set.code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                             0, 0, data.get(), nullptr) > 0;
}

bool CharTest::has(std::uint32_t set, char32_t character, Memory& memory) const {
  if (character < 0x80) return sets_[set].bytes[character];
  if (!sets_[set].beyond_ascii) return false;
  if (set >= 64) return ask(sets_[set], character);
  if (memory.entries.empty()) memory.entries.resize(kRemembered);
  Memory::Entry& entry = memory.entries[character % kRemembered];
  if (entry.character != character) entry = {.character = character};
  const std::uint64_t bit = std::uint64_t{1} << set;
  if (!(entry.known & bit)) {
    entry.known |= bit;
    if (ask(sets_[set], character)) entry.member |= bit;
  }
  return entry.member & bit;
}

}  // namespace helve::search
