#define PCRE2_CODE_UNIT_WIDTH 8
#include "jsonata/letter_case.h"

#include <pcre2.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

// What PCRE2 does not know: letters that become several, and those that share their capital.
struct Capital {
  char32_t letter;
  std::string_view text;
};
constexpr Capital kCapitals[] = {{0x00B5, "\u039C"},
                                 {0x00DF, "SS"},
                                 {0x0131, "I"},
                                 {0x0149, "\u02BCN"},
                                 {0x017F, "S"},
                                 {0x01C5, "\u01C4"},
                                 {0x01C8, "\u01C7"},
                                 {0x01CB, "\u01CA"},
                                 {0x01F0, "J\u030C"},
                                 {0x01F2, "\u01F1"},
                                 {0x0345, "\u0399"},
                                 {0x0390, "\u0399\u0308\u0301"},
                                 {0x03B0, "\u03A5\u0308\u0301"},
                                 {0x03B9, "\u0399"},
                                 {0x03BC, "\u039C"},
                                 {0x03C2, "\u03A3"},
                                 {0x03D0, "\u0392"},
                                 {0x03D1, "\u0398"},
                                 {0x03D5, "\u03A6"},
                                 {0x03D6, "\u03A0"},
                                 {0x03F0, "\u039A"},
                                 {0x03F1, "\u03A1"},
                                 {0x03F5, "\u0395"},
                                 {0x0587, "\u0535\u0552"},
                                 {0x1C80, "\u0412"},
                                 {0x1C81, "\u0414"},
                                 {0x1C82, "\u041E"},
                                 {0x1C83, "\u0421"},
                                 {0x1C84, "\u0422"},
                                 {0x1C85, "\u0422"},
                                 {0x1C86, "\u042A"},
                                 {0x1C87, "\u0462"},
                                 {0x1C88, "\uA64A"},
                                 {0x1E96, "H\u0331"},
                                 {0x1E97, "T\u0308"},
                                 {0x1E98, "W\u030A"},
                                 {0x1E99, "Y\u030A"},
                                 {0x1E9A, "A\u02BE"},
                                 {0x1E9B, "\u1E60"},
                                 {0x1F50, "\u03A5\u0313"},
                                 {0x1F52, "\u03A5\u0313\u0300"},
                                 {0x1F54, "\u03A5\u0313\u0301"},
                                 {0x1F56, "\u03A5\u0313\u0342"},
                                 {0x1FB2, "\u1FBA\u0399"},
                                 {0x1FB3, "\u0391\u0399"},
                                 {0x1FB4, "\u0386\u0399"},
                                 {0x1FB6, "\u0391\u0342"},
                                 {0x1FB7, "\u0391\u0342\u0399"},
                                 {0x1FBC, "\u0391\u0399"},
                                 {0x1FBE, "\u0399"},
                                 {0x1FC2, "\u1FCA\u0399"},
                                 {0x1FC3, "\u0397\u0399"},
                                 {0x1FC4, "\u0389\u0399"},
                                 {0x1FC6, "\u0397\u0342"},
                                 {0x1FC7, "\u0397\u0342\u0399"},
                                 {0x1FCC, "\u0397\u0399"},
                                 {0x1FD2, "\u0399\u0308\u0300"},
                                 {0x1FD3, "\u0399\u0308\u0301"},
                                 {0x1FD6, "\u0399\u0342"},
                                 {0x1FD7, "\u0399\u0308\u0342"},
                                 {0x1FE2, "\u03A5\u0308\u0300"},
                                 {0x1FE3, "\u03A5\u0308\u0301"},
                                 {0x1FE4, "\u03A1\u0313"},
                                 {0x1FE6, "\u03A5\u0342"},
                                 {0x1FE7, "\u03A5\u0308\u0342"},
                                 {0x1FF2, "\u1FFA\u0399"},
                                 {0x1FF3, "\u03A9\u0399"},
                                 {0x1FF4, "\u038F\u0399"},
                                 {0x1FF6, "\u03A9\u0342"},
                                 {0x1FF7, "\u03A9\u0342\u0399"},
                                 {0x1FFC, "\u03A9\u0399"},
                                 {0xA64B, "\uA64A"},
                                 {0xFB00, "FF"},
                                 {0xFB01, "FI"},
                                 {0xFB02, "FL"},
                                 {0xFB03, "FFI"},
                                 {0xFB04, "FFL"},
                                 {0xFB05, "ST"},
                                 {0xFB06, "ST"},
                                 {0xFB13, "\u0544\u0546"},
                                 {0xFB14, "\u0544\u0535"},
                                 {0xFB15, "\u0544\u053B"},
                                 {0xFB16, "\u054E\u0546"},
                                 {0xFB17, "\u0544\u053D"}};

// Letters that are no letters to PCRE2, with the distance of their other case.
struct Row {
  char32_t first, last;
  char32_t distance;
};
constexpr Row kSmallRows[] = {{0x2170, 0x217F, 16}, {0x24D0, 0x24E9, 26}};

// Greek with an iota below: a capital and a whole iota.
std::string greek_with_iota(char32_t letter) {
  const char32_t bases[] = {0x1F08, 0x1F28, 0x1F68};
  std::string out;
  append_code_point(out, bases[(letter - 0x1F80) / 16] + letter % 8);
  return out + "\u0399";
}

// Nothing when PCRE2 knows it.
std::string capital_of(char32_t letter) {
  std::string out;
  if (letter >= 0x1F80 && letter <= 0x1FAF) return greek_with_iota(letter);
  for (const Row& row : kSmallRows)
    if (letter >= row.first && letter <= row.last) append_code_point(out, letter - row.distance);
  const auto* const known = std::ranges::lower_bound(kCapitals, letter, {}, &Capital::letter);
  if (known != std::end(kCapitals) && known->letter == letter) out = known->text;
  return out;
}

std::string small_of(char32_t letter) {
  std::string out;
  if (letter == 0x0130) return "i\u0307";
  for (const Row& row : kSmallRows)
    if (letter + row.distance >= row.first && letter + row.distance <= row.last)
      append_code_point(out, letter + row.distance);
  return out;
}

std::string replace(std::string_view text, std::string_view pattern, std::string_view replacement) {
  const auto units = [](std::string_view part) {
    return reinterpret_cast<PCRE2_SPTR>(part.data());
  };
  int failure = 0;
  PCRE2_SIZE offset = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &failure,
                    &offset, nullptr),
      pcre2_code_free);
  if (!code) return std::string(text);
  std::string out(text.size() * 2 + 16, '\0');
  PCRE2_SIZE length = out.size();
  const int done = pcre2_substitute(code.get(), units(text), text.size(), 0,
                                    PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_EXTENDED, nullptr,
                                    nullptr, units(replacement), replacement.size(),
                                    reinterpret_cast<PCRE2_UCHAR*>(out.data()), &length);
  if (done < 0) return std::string(text);
  out.resize(length);
  return out;
}

// Changes runs of letters by PCRE2's tables, and those between them by ours.
std::string change_case(std::string_view text, std::string (*special)(char32_t),
                        std::string_view replacement) {
  std::string out;
  size_t run = 0;
  const auto finish_run = [&](size_t end) {
    if (end > run) out += replace(text.substr(run, end - run), "(?s).+", replacement);
  };
  for (size_t at = 0; at < text.size();) {
    const size_t length = length_of_char(text.substr(at));
    const std::string changed = length > 1 ? special(char_at(text.substr(at))) : std::string();
    if (!changed.empty()) {
      finish_run(at);
      out += changed;
      run = at + length;
    }
    at += length;
  }
  finish_run(text.size());
  return out;
}

}  // namespace

std::string upper_case(std::string_view text) {
  if (!is_ascii(text)) return change_case(text, capital_of, "\\U$0");
  std::string out;
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out;
  if (is_ascii(text)) {
    for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
  }
  // A sigma at the end of a word has a form of its own.
  if (text.find("\u03A3") == text.npos) return change_case(text, small_of, "\\L$0");
  return change_case(replace(text, "(?<=[\\pL\\pM])\u03A3(?!\\pM*\\pL)", "\u03C2"), small_of,
                     "\\L$0");
}

}  // namespace helve::jsonata
