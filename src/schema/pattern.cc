#define PCRE2_CODE_UNIT_WIDTH 8
#include "schema/pattern.h"

#include <fmt/core.h>
#include <pcre2.h>

#include "base/text.h"

namespace helve::schema {
namespace {

constexpr size_t kShownChars = 80;  // of an expression in a message

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

// PCRE2's own limit starts anew at every position of the text and does not see how far a single
// item runs, so that a text can take hours below it. A callout before every item sees all of the
// work.
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

// The options that bring PCRE2 near to ECMA-262: `$` is only the very end, `\u0041` is a character,
// `[]` matches nothing, classes such as \d and \w are ASCII.
constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY |
                                   PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
                                   PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C |
                                   PCRE2_AUTO_CALLOUT;

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

Error bad_pattern(std::string_view expression, std::string_view what) {
  return Error{Code::invalid_argument,
               fmt::format("invalid pattern '{}': {}",
                           preview(escape_for_display(expression), kShownChars), what),
               "", "invalid_pattern"};
}

}  // namespace

void Pattern::Free::operator()(void* code) const {
  pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<Pattern> Pattern::compile(std::string_view expression) {
  if (expression.size() > kMaxLength) {
    return bad_pattern(expression, fmt::format("longer than {} bytes", kMaxLength));
  }
  CompileContext context(pcre2_compile_context_create(nullptr));
  if (!context) return Error{Code::unavailable, "no memory for a pattern"};
  // A dot stops at a line's end, however the line ends.
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  pcre2_set_compile_extra_options(context.get(), PCRE2_EXTRA_ALT_BSUX);
  int failure = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(units(expression), expression.size(), kOptions, &failure,
                                   &offset, context.get());
  if (!code) {
    PCRE2_UCHAR words[256] = {};
    pcre2_get_error_message(failure, words, sizeof words);
    return bad_pattern(expression,
                       fmt::format("{} at byte {}", reinterpret_cast<const char*>(words), offset));
  }
  return Pattern(code);
}

Pattern::Match Pattern::match(std::string_view text, std::uint64_t& steps) const {
  const pcre2_code* code = static_cast<const pcre2_code*>(code_.get());
  MatchContext context(pcre2_match_context_create(nullptr));
  MatchData data(pcre2_match_data_create(1, nullptr));
  if (!context || !data) return Match::gave_up;
  Work work{steps};
  pcre2_set_callout(context.get(), count_step, &work);
  pcre2_set_heap_limit(context.get(), kMaxMemoryKiB);
  const int found = pcre2_match(code, units(text), text.size(), 0, 0, data.get(), context.get());
  steps = work.steps_left;
  if (found >= 0) return Match::yes;  // 0: more groups than we asked to hear of
  return found == PCRE2_ERROR_NOMATCH ? Match::no : Match::gave_up;
}

}  // namespace helve::schema
