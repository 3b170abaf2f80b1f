// Patterns: whatever the bytes, parsing ends with a tree or an error that says where; and all
// engines agree on a text.
#include "search/regex_syntax.h"

#include "search/matcher.h"
#include "target.h"

namespace {

using namespace helve;
using namespace helve::search;
using fuzz::expect;

constexpr size_t kMostPattern = 200;  // bytes; compiling a long one is slow, not wrong
constexpr size_t kMostText = 400;

void check(std::string_view pattern, std::string_view text, const RegexOptions& options) {
  const auto matcher = Matcher::make(pattern.substr(0, kMostPattern), options);
  if (!matcher) {
    expect(!matcher.error().message.empty() && !matcher.error().hint.empty(),
           "an error says what is wrong and what to do");
    return;
  }
  Matcher::Scratch scratch;
  text = text.substr(0, kMostText);
  if (!(*matcher)->find(text, Matcher::Want::all, scratch)) return;  // too many steps
  size_t end = 0;
  for (const MatchedLines& line : scratch.found()) {
    expect(line.begin <= line.end && line.end <= text.size(), "lines are in the text");
    expect(line.begin >= end, "lines come in order, none twice");
    end = line.end;
  }
  const bool found = !scratch.found().empty();
  expect(!found || satisfies(text, (*matcher)->required()), "a match has what is required",
         pattern);
  const Regex& regex = (*matcher)->regex();
  const bool by_lines = regex.options.newlines == Newlines::excluded;
  if (regex.needs_backtracking || regex.byte_mode || !by_lines) return;
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!(*matcher)->find(line, Matcher::Want::first, scratch)) return;
  NfaEngine::Scratch nfa;
  Interrupt never;
  const bool matches = !line.empty() && NfaEngine(regex).find(line, 0, nfa, never).has_value();
  expect(matches == !scratch.found().empty(), "the engines agree", pattern);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const size_t border = input.find('\n');  // the pattern ends with the first line
  const std::string_view pattern = input.substr(0, border);
  const std::string_view text =
      border == std::string_view::npos ? std::string_view() : input.substr(border + 1);
  check(pattern, text, {});
  check(pattern, text, {.case_mode = CaseMode::insensitive, .word = true});
  check(pattern, text, {.kind = PatternKind::literal, .case_mode = CaseMode::smart});
  check(pattern, text, {.newlines = Newlines::matched});
  return 0;
}
