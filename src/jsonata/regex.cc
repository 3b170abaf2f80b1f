#define PCRE2_CODE_UNIT_WIDTH 8
#include "jsonata/regex.h"

#include <fmt/core.h>
#include <pcre2.h>

#include <algorithm>

#include "base/text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* pointer) const {
    free(pointer);
  }
};
using CompileContext = std::unique_ptr<pcre2_compile_context, Freed<pcre2_compile_context_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>>;

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// PCRE2's own limit starts anew at every position of the text; a callout before every item sees all
// of the work.
struct Work {
  std::uint64_t steps_left;
  PCRE2_SIZE position = 0;
};
constexpr std::uint64_t kBytesPerStep = 16;  // that one item runs over

int count_step(pcre2_callout_block* block, void* data) {
  Work& work = *static_cast<Work*>(data);
  const PCRE2_SIZE here = block->current_position;
  const PCRE2_SIZE moved = here > work.position ? here - work.position : work.position - here;
  work.position = here;
  const std::uint64_t cost = 1 + moved / kBytesPerStep;
  if (cost > work.steps_left) {
    work.steps_left = 0;
    return PCRE2_ERROR_MATCHLIMIT;
  }
  work.steps_left -= cost;
  return 0;
}

// `$` is the very end, `\u0041` a character, `[]` matches nothing and `[^]` anything, a group that
// did not take part is empty when it is referred to.
constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX |
                                   PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
                                   PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;

// The groups of a pattern that can be referred to by number.
size_t count_groups(std::string_view pattern) {
  size_t groups = 0;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (in_class) {
      in_class = pattern[i] != ']';
    } else if (pattern[i] == '[') {
      in_class = true;
    } else if (pattern[i] == '(') {
      const std::string_view next = pattern.substr(i + 1, 3);
      const bool named = next.starts_with("?<") && next != "?<=" && next != "?<!";
      if (named || !next.starts_with('?')) ++groups;
    }
  }
  return groups;
}

// Writes a pattern of JavaScript as PCRE2 has it: \s knows the spaces of Unicode, a dot no end of a
// line, and a backslash before a letter that means nothing is only that letter.
class Translation {
 public:
  explicit Translation(std::string_view pattern)
      : pattern_(pattern), groups_(count_groups(pattern)) {}

  std::string all() {
    while (at_ < pattern_.size()) next();
    return std::move(out_);
  }

 private:
  void next() {
    const char c = pattern_[at_++];
    if (c == '[' && !in_class_) {
      in_class_ = true;
      out_ += c;
      if (rest().starts_with('^')) out_ += pattern_[at_++];
      // JavaScript's [] is empty, and so is PCRE2's with our option; a [ inside means itself.
      if (rest().starts_with(']')) {
        out_ += pattern_[at_++];
        in_class_ = false;
      }
    } else if (c == '[') {
      out_ += "\\[";
    } else if (c == '.' && !in_class_) {
      out_ += "[^\\n\\r\\u2028\\u2029]";
    } else if (c == '\\' && at_ < pattern_.size()) {
      escape();
    } else {
      if (c == ']') in_class_ = false;
      out_ += c;
    }
  }

  void escape() {
    constexpr std::string_view kSpaces =
        "\\t\\n\\x0b\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
    constexpr std::string_view kLiteralLetters = "aeghijlmopqyzACEFGHIJKLMNOPQRTUVXYZ";
    const char c = pattern_[at_];
    if (c >= '1' && c <= '9') return digits();
    if (c == 'u' && pair()) return;
    ++at_;
    if (c == 's')
      out_ += in_class_ ? std::string(kSpaces) : "[" + std::string(kSpaces) + "]";
    else if (c == 'S' && !in_class_)
      out_ += "[^" + std::string(kSpaces) + "]";
    else if (c == 'v')
      out_ += "\\x0b";
    else if (kLiteralLetters.find(c) != kLiteralLetters.npos)
      out_ += c;
    else
      (out_ += '\\') += c;
  }

  // A number that no group has is a character in octal.
  void digits() {
    size_t end = at_;
    size_t number = 0;
    while (end < pattern_.size() && is_digit(pattern_[end]) && number <= groups_)
      number = number * 10 + static_cast<size_t>(pattern_[end++] - '0');
    if (!in_class_ && number <= groups_) {
      out_ += fmt::format("\\g{{{}}}", number);
      at_ = end;
      return;
    }
    if (pattern_[at_] >= '8') {
      out_ += pattern_[at_++];
      return;
    }
    unsigned code = 0;
    for (int i = 0; i < 3 && at_ < pattern_.size(); ++i, ++at_) {
      const char digit = pattern_[at_];
      if (digit < '0' || digit > '7' || code * 8 > 0377) break;
      code = code * 8 + static_cast<unsigned>(digit - '0');
    }
    out_ += fmt::format("\\x{:02x}", code);
  }

  // \ud83c\udf88 is one character.
  bool pair() {
    const std::optional<char32_t> high = unit(at_ - 1), low = unit(at_ + 5);
    if (!high || !low || !is_high_surrogate(*high) || !is_low_surrogate(*low)) return false;
    append_code_point(out_, 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00));
    at_ += 11;
    return true;
  }
  std::optional<char32_t> unit(size_t at) const {
    if (!pattern_.substr(std::min(at, pattern_.size())).starts_with("\\u")) return std::nullopt;
    char32_t code = 0;
    for (size_t i = at + 2; i < at + 6; ++i) {
      const int digit = i < pattern_.size() ? hex_digit(pattern_[i]) : -1;
      if (digit < 0) return std::nullopt;
      code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view rest() const { return pattern_.substr(at_); }

  std::string_view pattern_;
  size_t groups_;
  size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

void Regex::Free::operator()(void* code) const { pcre2_code_free(static_cast<pcre2_code*>(code)); }

std::shared_ptr<const Regex> Regex::compile(std::string_view pattern, std::string_view flags,
                                            std::string& why) {
  if (pattern.size() > kMaxLength) {
    why = fmt::format("longer than {} bytes", kMaxLength);
    return nullptr;
  }
  CompileContext context(pcre2_compile_context_create(nullptr));
  if (!context) {
    why = "no memory";
    return nullptr;
  }
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  std::uint32_t options = kOptions;
  if (flags.find('i') != flags.npos) options |= PCRE2_CASELESS;
  if (flags.find('m') != flags.npos) options |= PCRE2_MULTILINE;
  int failure = 0;
  PCRE2_SIZE offset = 0;
  const std::string text = Translation(pattern).all();
  pcre2_code* code =
      pcre2_compile(units(text), text.size(), options, &failure, &offset, context.get());
  if (!code) {
    PCRE2_UCHAR words[256] = {};
    pcre2_get_error_message(failure, words, sizeof words);
    why = reinterpret_cast<const char*>(words);
    return nullptr;
  }
  return std::shared_ptr<const Regex>(new Regex(code, pattern));
}

Regex::Subject::Subject(std::string_view text) : text_(text) {
  if (is_utf8(text)) return;
  constexpr std::string_view kReplacement = "\uFFFD";
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool is_surrogate = rest.size() >= 3 && rest[0] == '\xED' && (rest[1] & 0xE0) == 0xA0;
    const size_t length =
        is_surrogate ? kReplacement.size() : std::max<size_t>(char_length(rest), 1);
    if (is_surrogate)
      copy_ += kReplacement;
    else if (char_length(rest) == 0)
      copy_ += '?';
    else
      copy_ += rest.substr(0, length);
    at += length;
  }
}

Regex::Match Regex::match(const Subject& subject, size_t from, std::uint64_t& steps,
                          Found& found) const {
  const std::string_view text = subject.text();
  const pcre2_code* code = static_cast<const pcre2_code*>(code_.get());
  MatchContext context(pcre2_match_context_create(nullptr));
  MatchData data(pcre2_match_data_create_from_pattern(code, nullptr));
  if (!context || !data) return Match::gave_up;
  Work work{steps, from};
  pcre2_set_callout(context.get(), count_step, &work);
  pcre2_set_heap_limit(context.get(), kMaxMemoryKiB);
  // The subject was checked; PCRE2 would check what is left of it again for every match.
  const int result = pcre2_match(code, units(text), text.size(), from, PCRE2_NO_UTF_CHECK,
                                 data.get(), context.get());
  steps = work.steps_left;
  if (result == PCRE2_ERROR_NOMATCH) return Match::no;
  if (result < 0) return Match::gave_up;
  const PCRE2_SIZE* const pairs = pcre2_get_ovector_pointer(data.get());
  const std::uint32_t count = pcre2_get_ovector_count(data.get());
  found.groups.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (pairs[2 * i] == PCRE2_UNSET)
      found.groups.emplace_back();
    else
      found.groups.emplace_back(Span{pairs[2 * i], pairs[2 * i + 1]});
  }
  return Match::yes;
}

}  // namespace helve::jsonata
