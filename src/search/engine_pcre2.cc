#include <fmt/core.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "search/engine.h"

namespace helve::search {
namespace {

// Of one search, about 20 ms, and more for a long text.
constexpr size_t kMaxSteps = 1'000'000;
constexpr size_t kMaxStepsAByte = 50;
constexpr std::uint32_t kMaxOwnSteps = 100'000'000;  // as the engine counts them
constexpr size_t kMaxStack = 8u << 20;               // bytes
constexpr std::uint32_t kMaxHeapKiB = 32 * 1024;

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// The engine's own limit does not count steps that it takes within one character of the pattern, so
// they are counted here: a call for each part of the pattern that is tried.
struct Steps {
  size_t left;
  Interrupt& interrupt;
};
int count_step(pcre2_callout_block*, void* data) {
  Steps& steps = *static_cast<Steps*>(data);
  return --steps.left == 0 || steps.interrupt.is_due(1) ? PCRE2_ERROR_CALLOUT : 0;
}

// PCRE2 checks the whole text before each search, so that is work, too.
constexpr size_t kBytesCheckedInAStep = 64;

std::string words_of(int number) {
  unsigned char words[256] = "";
  pcre2_get_error_message(number, words, sizeof words);
  return reinterpret_cast<const char*>(words);
}

Error error_of(int number) {
  constexpr std::string_view kSimpler =
      "avoid repetitions inside repetitions such as (a+)+, and look-around if you can";
  switch (number) {
    case PCRE2_ERROR_CALLOUT:  // the steps that are counted here
    case PCRE2_ERROR_MATCHLIMIT:
      return {Code::too_large, "the pattern takes too many steps on a line", std::string(kSimpler),
              "pattern_too_complex"};
    case PCRE2_ERROR_JIT_STACKLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_NOMEMORY:
      return {Code::too_large, "the pattern takes too much memory on a line", std::string(kSimpler),
              "pattern_too_complex"};
    default:
      return {Code::internal, "PCRE2 cannot search a line: " + words_of(number),
              "write the pattern without look-around and references"};
  }
}

}  // namespace

void Pcre2Engine::Free::operator()(pcre2_code* code) const { pcre2_code_free(code); }
void Pcre2Engine::Free::operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
void Pcre2Engine::Free::operator()(pcre2_match_context* context) const {
  pcre2_match_context_free(context);
}
void Pcre2Engine::Free::operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }

Result<std::unique_ptr<Pcre2Engine>> Pcre2Engine::compile(const Regex& regex) {
  const std::string expression = to_pcre2(regex);
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  if (context) {
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context.get(), 10 * kMaxDepth);
  }
  std::uint32_t options = PCRE2_MULTILINE | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C;
  if (!regex.byte_mode) options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  int number = 0;
  size_t offset = 0;
  pcre2_code* code =
      pcre2_compile(units(expression), expression.size(), options, &number, &offset, context.get());
  if (!code)
    return Error{Code::invalid_argument, "the pattern cannot be compiled: " + words_of(number),
                 "look-behind needs text of a known length", "invalid_pattern"};
  auto engine = std::make_unique<Pcre2Engine>();
  engine->code_.reset(code);
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where this fails it is interpreted
  return engine;
}

Result<std::optional<Span>> Pcre2Engine::find(std::string_view text, size_t from, Scratch& scratch,
                                              Interrupt& interrupt) const {
  if (!scratch.data) {
    scratch.data.reset(pcre2_match_data_create(1, nullptr));
    scratch.context.reset(pcre2_match_context_create(nullptr));
    scratch.stack.reset(pcre2_jit_stack_create(32 * 1024, kMaxStack, nullptr));
    if (!scratch.data || !scratch.context)
      return Error{Code::unavailable, "there is no memory left to search", "search for less"};
    pcre2_set_match_limit(scratch.context.get(), kMaxOwnSteps);
    pcre2_set_heap_limit(scratch.context.get(), kMaxHeapKiB);
    pcre2_jit_stack_assign(scratch.context.get(), nullptr, scratch.stack.get());
  }
  if (interrupt.is_due(1 + text.size() / kBytesCheckedInAStep)) return std::optional<Span>();
  Steps steps{kMaxSteps + kMaxStepsAByte * text.size(), interrupt};
  pcre2_set_callout(scratch.context.get(), count_step, &steps);
  const int found = pcre2_match(code_.get(), units(text), text.size(), from, 0, scratch.data.get(),
                                scratch.context.get());
  if (found == PCRE2_ERROR_NOMATCH || interrupt.was_due()) return std::optional<Span>();
  if (found < 0) return error_of(found);
  const size_t* places = pcre2_get_ovector_pointer(scratch.data.get());
  return std::optional<Span>(Span{places[0], places[1]});
}

}  // namespace helve::search
