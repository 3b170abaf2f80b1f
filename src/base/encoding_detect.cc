// Recognises the encoding of a text. What a byte order mark or valid UTF-8 does not settle is
// decoded by each candidate and judged by what it would say: a wrong guess looks right to nobody
// who reads the language, so a candidate has to show the commonest letters of it.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"

namespace helve {
namespace {

using enum Encoding;

// The bytes that are neither valid UTF-8 nor the start of a character that the cut took the rest
// of.
bool is_utf8_start(std::string_view text, Extent extent) {
  const size_t valid = valid_utf8_prefix(text);
  const std::string_view rest = text.substr(valid);
  if (rest.empty()) return true;
  const auto lead = static_cast<unsigned char>(rest[0]);
  return extent == Extent::start && rest.size() < 4 && lead >= 0xC2 && lead <= 0xF4 &&
         std::all_of(rest.begin() + 1, rest.end(), [](char c) { return (c & 0xC0) == 0x80; });
}

// Most of what is not ASCII are whole UTF-8 characters: damaged UTF-8. Other encodings give such
// sequences too, but not that often.
bool is_damaged_utf8(std::string_view text) {
  size_t whole = 0, broken = 0;
  while (!text.empty()) {
    const size_t length = char_length(text);
    if (length == 0) ++broken;
    if (length > 1) whole += length;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return whole > 3 * broken;
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) {
    return c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B);
  });
}

// Sorted, to be searched.
template <size_t size>
consteval std::array<char32_t, size - 1> sorted(const char32_t (&text)[size]) {
  std::array<char32_t, size - 1> out;
  std::copy_n(text, size - 1, out.begin());
  std::ranges::sort(out);
  return out;
}

// The commonest characters of each script, which make a quarter of ordinary text and more.
constexpr auto kSimplified = sorted(
    U"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    U"发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前"
    U"开但因只从想实日者意无力它与长把机十第公此已工使情明性知全三又关点正业外将两高间由问很最重并"
    U"文件数据设置错误测试码字符编请输入返回函参");
constexpr auto kTraditional = sorted(
    U"的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過"
    U"發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前"
    U"開但因只從想實日者意無力它與長把機十第公此已工使情明性知全三又關點正業外將兩高間由問很最重並"
    U"文件數據設置錯誤測試碼字符編請輸入返回函參");
constexpr auto kKorean = sorted(
    U"이다는에의을가로고하은를지기사한도서어나리인시일아자대해스그있니수습정보전부으라상주여과게와"
    U"제들만면안"
    U"세요것적원성동구무장우조계");
constexpr auto kCyrillic = sorted(U"оеаинтОЕАИНТ");

// What the characters of a decoded text are, ASCII apart.
struct Census {
  size_t ascii = 0;
  size_t others = 0;
  size_t han = 0, kana = 0, hangul = 0, cyrillic = 0, latin = 0;
  size_t signs = 0;  // punctuation and full-width forms of the East
  size_t simplified = 0, traditional = 0, korean = 0, russian = 0;  // the commonest ones
  size_t capitals = 0;                                              // in Cyrillic
  size_t mixed = 0;  // letters of it next to plain ones
  size_t turns = 0;  // small letters followed by a capital, in Cyrillic
  size_t wrong = 0;  // what text does not have
};

bool is_in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_ascii_letter(char32_t c) { return is_in(c | 0x20, 'a', 'z'); }

void count_other(Census& census, char32_t c) {
  const auto counted = [&](std::span<const char32_t> common) {
    return std::ranges::binary_search(common, c) ? 1u : 0u;
  };
  if (is_in(c, 0x4E00, 0x9FFF)) {
    ++census.han;
    census.simplified += counted(kSimplified);
    census.traditional += counted(kTraditional);
  } else if (is_in(c, 0x3041, 0x30FF)) {
    ++census.kana;
  } else if (is_in(c, 0xAC00, 0xD7A3)) {
    ++census.hangul;
    census.korean += counted(kKorean);
  } else if (is_in(c, 0x400, 0x45F) || is_in(c, 0x490, 0x491)) {
    ++census.cyrillic;
    census.russian += counted(kCyrillic);
    census.capitals += is_in(c, 0x400, 0x42F);
  } else if (is_in(c, 0x3000, 0x303F) || is_in(c, 0xFF01, 0xFF5E) || is_in(c, 0x2010, 0x2027) ||
             is_in(c, 0xA0, 0xBF)) {
    ++census.signs;
  } else if (is_in(c, 0xC0, 0x24F)) {
    ++census.latin;
  } else if (is_in(c, 0x7F, 0x9F) || is_in(c, 0xD800, 0xF8FF) || c == 0xFEFF || c >= 0xFFF0) {
    census.wrong += c < 0x1F000 || c > 0x1FAFF;  // pictures are text
  }
}

bool is_small_cyrillic(char32_t c) { return is_in(c, 0x430, 0x45F); }

Census take_census(std::string_view text) {
  Census census;
  char32_t before = 0;
  while (!text.empty()) {
    const size_t length = char_length(text);
    char32_t c = static_cast<unsigned char>(text[0]);
    if (length < 2) {
      (length == 1 ? census.ascii : census.wrong)++;
    } else {
      c &= 0xFFu >> (length + 1);
      for (size_t i = 1; i < length; ++i)
        c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
      ++census.others;
      count_other(census, c);
      if (is_small_cyrillic(before) && is_in(c, 0x400, 0x42F)) ++census.turns;
      if (is_in(c, 0x400, 0x45F) && is_ascii_letter(before)) ++census.mixed;
    }
    before = c;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return census;
}

// Whether `part` is at least that share of `whole`, in percent.
bool is_share(size_t part, size_t whole, size_t percent) { return part * 100 >= whole * percent; }

using Judge = bool (*)(const Census&);
bool is_japanese(const Census& c) {
  return c.others >= 4 && is_share(c.kana, c.others, 25) &&
         is_share(c.kana + c.han + c.signs, c.others, 95);
}
bool is_chinese(const Census& c, size_t common) {
  return common >= 2 && is_share(common, c.han, 15) && is_share(c.han, c.others, 60) &&
         is_share(c.han + c.signs, c.others, 95);
}
bool is_simplified(const Census& c) { return is_chinese(c, c.simplified); }
bool is_traditional(const Census& c) { return is_chinese(c, c.traditional); }
bool is_korean(const Census& c) {
  return c.korean >= 2 && is_share(c.korean, c.hangul, 25) && is_share(c.hangul, c.others, 80) &&
         is_share(c.hangul + c.han + c.signs, c.others, 95);
}
bool is_cyrillic(const Census& c) {
  // One encoding's small letters are another's capitals, so capitals have to be more convincing.
  const size_t common = is_share(c.capitals, c.cyrillic, 50) ? 45 : 33;
  return c.cyrillic >= 6 && is_share(c.russian, c.cyrillic, common) &&
         is_share(c.cyrillic + c.signs, c.others, 95) && !is_share(c.turns, c.cyrillic, 5) &&
         !is_share(c.mixed, c.cyrillic, 20);
}
// Five letters of Hebrew have a form that only ends words. Other scripts have other letters at
// these places, and inside words, too.
bool is_hebrew(std::string_view text) {
  constexpr std::string_view kFinal = "\xEA\xED\xEF\xF3\xF5";
  constexpr std::string_view kSigns =
      "\x85\x91\x92\x93\x94\x95\x96\x97\xA0\xA4\xA9\xAB\xAD\xAE\xB0\xB7\xBB";
  const auto is_hebrew_letter = [](unsigned char c) { return is_in(c, 0xE0, 0xFA); };
  const auto is_sign = [&](char c) {
    return static_cast<signed char>(c) >= 0 || kSigns.find(c) != kSigns.npos;
  };
  size_t letters = 0, others = 0, ends = 0, inside = 0;
  unsigned char before = ' ';
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const unsigned char last = std::exchange(before, c);
    if (is_hebrew_letter(c)) {
      ++letters;
      others += is_ascii_letter(last);
      if (kFinal.find(text[i]) == kFinal.npos) continue;
      const bool goes_on = i + 1 < text.size() && !is_sign(text[i + 1]);
      ++(goes_on ? inside : ends);
    } else if (!is_sign(text[i])) {
      ++others;  // points of vowels among them, which few texts have
    }
  }
  return letters >= 16 && ends > 0 && !is_share(inside, ends, 10) && !is_share(others, letters, 5);
}
bool is_any_script(const Census& c) {
  return is_japanese(c) || is_simplified(c) || is_traditional(c) || is_korean(c) || is_cyrillic(c);
}
// Wide characters show themselves by the zeros of ASCII.
bool is_wide_text(const Census& c) {
  return is_share(c.ascii + c.latin, c.ascii + c.others, 70) || is_any_script(c);
}

constexpr size_t kGlance = 1024;  // bytes in which most that is no text shows it

bool says_something(std::string_view bytes, Encoding encoding, Extent extent, Judge judge) {
  Result<Decoder> decoder = Decoder::open(encoding);
  if (!decoder) return false;
  std::string text;
  if (bytes.size() > kGlance) {
    decoder->decode(bytes.substr(0, kGlance), false, text);
    if (has_controls(text) || take_census(text).wrong > 0) return false;
    text.clear();
  }
  decoder->decode(bytes, extent == Extent::whole, text);
  if (has_controls(text)) return false;
  const Census census = take_census(text);
  return census.wrong == 0 && judge(census);
}

bool is_western_letter(unsigned char c) {
  return (c >= 0xC0 && c != 0xD7 && c != 0xF7) || c == 0x8A || c == 0x8C || c == 0x8E ||
         c == 0x9A || c == 0x9C || c == 0x9E || c == 0x9F;
}
bool is_letter(unsigned char c) { return is_ascii_letter(c) || is_western_letter(c); }
// Signs that stand between the letters of one word, or of two.
bool joins_letters(unsigned char c) {
  return is_in(c, 0x91, 0x97) || c == 0x85 || c == 0xA0 || c == 0xAD || c == 0xB4 || c == 0xB7;
}

// Letters that no Western language has together: in windows-1250 they are Czech, Slovene,
// Hungarian.
bool is_strange_company(const std::array<bool, 256>& seen) {
  const auto any = [&](std::initializer_list<unsigned char> letters) {
    return std::ranges::any_of(letters, [&](unsigned char c) { return seen[c]; });
  };
  return (seen[0xF8] && any({0xE8, 0xEC, 0xF9})) || (seen[0xF5] && seen[0xFB]) ||
         (any({0x8A, 0x8E, 0x9A, 0x9E}) && any({0xE6, 0xE8, 0xEC, 0xF0, 0xF8, 0xF9}));
}

// Western European text: single letters with accents among plain ones, signs where signs stand.
bool is_western(std::string_view text) {
  constexpr std::string_view kNothing = "\x81\x8D\x8F\x90\x9D";
  constexpr std::string_view kRare = "\x83\x86\x87\x88\x89\x8B\x98\x9B\xA4\xA6\xA8\xAC\xAF\xB8\xFF";
  constexpr std::string_view kVowels = "\xE1\xE9\xED\xF3\xFA\xE6";
  size_t high = 0, odd = 0, vowels = 0, icelandic = 0;
  std::array<bool, 256> seen = {};
  const auto at = [&](size_t i) -> unsigned char { return i < text.size() ? text[i] : ' '; };
  for (size_t i = 0; i < text.size();) {
    if (at(i) < 0x80) {
      ++i;
      continue;
    }
    size_t end = i, letters = 0;
    bool misplaced = false;
    for (; at(end) >= 0x80; ++end) {
      const unsigned char c = at(end);
      if (kNothing.find(static_cast<char>(c)) != kNothing.npos) return false;
      vowels += kVowels.find(static_cast<char>(c)) != kVowels.npos;
      icelandic += c == 0xF0 || c == 0xFD || c == 0xFE;
      seen[c] = true;
      misplaced = misplaced || kRare.find(static_cast<char>(c)) != kRare.npos;
      if (is_western_letter(c))
        ++letters;
      else if (is_letter(at(end - 1)) && !joins_letters(c))
        misplaced = misplaced || is_letter(at(end + 1)) || c == 0xA1 || c == 0xBF;
    }
    const unsigned char before = at(i - 1);
    const bool in_word = is_ascii_letter(before) || is_ascii_letter(at(end));
    const bool capital = is_in(at(i), 0xC0, 0xDE) && is_in(before, 'a', 'z');
    if (end - i >= 4 || (letters >= 2 && !in_word) || capital || misplaced) odd += end - i;
    high += end - i;
    i = end;
  }
  // In Turkish the letters of Iceland are others, and more frequent than its vowels.
  return is_share(high - odd, high, 95) && icelandic <= vowels && !is_strange_company(seen);
}

struct Candidate {
  Encoding encoding;
  Judge judge;
};
constexpr std::array<Candidate, 9> kCandidates = {{{shift_jis, is_japanese},
                                                   {euc_jp, is_japanese},
                                                   {euc_kr, is_korean},
                                                   {gb18030, is_simplified},
                                                   {big5, is_traditional},
                                                   {windows_1251, is_cyrillic},
                                                   {koi8_r, is_cyrillic},
                                                   {utf_16le, is_any_script},
                                                   {utf_16be, is_any_script}}};

std::optional<Detected> by_mark(std::string_view start) {
  // UTF-32 first: its mark begins with that of UTF-16.
  for (const Encoding encoding : {utf_32le, utf_32be, utf_16le, utf_16be, utf_8}) {
    const TextFormat format{encoding, true};
    if (start.starts_with(mark_of(format))) return Detected{format};
  }
  return {};
}

// The one candidate that says something; nothing when none does, or several.
std::optional<Detected> only(std::span<const Candidate> candidates, std::string_view start,
                             Extent extent) {
  std::optional<Detected> found;
  for (const auto& [encoding, judge] : candidates) {
    if (!says_something(start, encoding, extent, judge)) continue;
    if (found) return {};
    found = Detected{{encoding}, false};
  }
  return found;
}

}  // namespace

std::optional<Detected> detect_encoding(std::string_view start, Extent extent) {
  if (start.size() > kDetectedBytes) {
    start = start.substr(0, kDetectedBytes);
    extent = Extent::start;
  }
  if (const auto marked = by_mark(start)) return marked;
  if (start.find('\0') != start.npos) {
    constexpr std::array<Candidate, 2> kWide = {
        {{utf_16le, is_wide_text}, {utf_16be, is_wide_text}}};
    if (start.size() < 4 || (extent == Extent::whole && start.size() % 2 != 0)) return {};
    return only(kWide, start, extent);
  }
  if (is_utf8_start(start, extent)) return Detected{};
  if (is_damaged_utf8(start)) return Detected{{utf_8}, false};
  if (has_controls(start)) return only(std::span(kCandidates).last(2), start, extent);
  if (is_western(start)) return Detected{{windows_1252}, false};
  if (is_hebrew(start)) return Detected{{windows_1255}, false};
  return only(kCandidates, start, extent);
}

}  // namespace helve
