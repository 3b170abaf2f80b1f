// Matcher: one pattern, ready to search texts. It chooses the engine: own vector search for a
// literal, Hyperscan for everything that it can narrow down to lines, and for what that leaves open
// (the wider Unicode, matches across lines) an automaton of our own. All of these take linear time,
// but for patterns that look far beyond each of many matches across lines. PCRE2 decides on
// look-around and references, within a number of steps.
//
// Making one is cheap: an engine is compiled when a text first needs it, and for a literal none is.
// Thread-safe; each thread brings a Scratch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/engine.h"
#include "search/literal.h"
#include "search/regex_syntax.h"
#include "search/required.h"

namespace helve::search {

// Lines with a match, without the newline at the end. `matches` is over 1 only where newlines are
// matched: then several matches may share lines.
struct MatchedLines {
  size_t begin = 0, end = 0;
  size_t matches = 1;
};

class Matcher {
 public:
  // A thread's own; for one Matcher only.
  class Scratch {
   public:
    Scratch() = default;
    explicit Scratch(Interrupt interrupt) : interrupt_(std::move(interrupt)) {}
    // Whether a search has ended before it was done; then every other does.
    bool was_interrupted() const { return interrupt_.was_due(); }
    Interrupt& interrupt() { return interrupt_; }
    // What the last search found, in order, no line twice.
    const std::vector<MatchedLines>& found() const { return found_; }
    // Matches across lines that were not kept there: a whole file may hold many.
    size_t more() const { return more_; }
    void keep_at_most(size_t lines) { most_ = std::max<size_t>(lines, 1); }

   private:
    friend class Matcher;
    Interrupt interrupt_;
    std::vector<MatchedLines> found_;
    size_t most_ = SIZE_MAX;
    size_t more_ = 0;
    HyperscanEngine::Scratch hyperscan_;
    NfaEngine::Scratch nfa_;
    Pcre2Engine::Scratch pcre2_;
  };
  enum class Want : unsigned char { first, all };

  static Result<std::unique_ptr<Matcher>> make(std::string_view pattern,
                                               const RegexOptions& options);

  // The text begins where a line begins and ends where one ends; where newlines are matched it is
  // the whole file. Fails when the pattern takes too many steps; what was found before stays found.
  Result<void> find(std::string_view text, Want want, Scratch& scratch) const;

  // Where in a line its first match is; nothing when it has none or that takes too long. Not of the
  // same precision for literals between words: there the literal may be another one.
  std::optional<Span> first_match(std::string_view line, Scratch& scratch) const;

  const Regex& regex() const { return regex_; }
  const Required& required() const { return required_; }
  bool matches_newlines() const { return regex_.options.newlines == Newlines::matched; }

 private:
  // A text that every match holds; when `exact`, the match is nothing else.
  struct Key {
    LiteralFinder finder;
    bool exact = false;
    // Of an exact key: no word character may stand before, or after.
    bool word_before = false, word_after = false;
    size_t offset = 0;  // of the finder's literal in `whole`, when it is only a part of it
    std::optional<LiteralFinder> whole = {};
  };
  struct Collector;
  // A line with the literal of an exact key in it.
  struct KeyLine {
    MatchedLines bounds = {};
    std::optional<bool> is_ascii = {};  // when that was asked
  };
  enum class Decision : unsigned char { match, not_here, not_in_line };

  explicit Matcher(Regex regex) : regex_(std::move(regex)) {}
  void choose_key();
  bool choose_literal();

  Result<void> find_literal(std::string_view text, Want want, Scratch& scratch) const;
  Result<Decision> confirm(std::string_view text, size_t at, KeyLine& line, Scratch& scratch) const;
  Result<void> find_lines(std::string_view text, size_t from, Want want, Scratch& scratch) const;
  Result<void> try_each_line(std::string_view text, size_t from, Want want, Scratch& scratch) const;
  Result<void> find_spans(std::string_view text, Want want, Scratch& scratch) const;
  Result<bool> matches_line(std::string_view line, Scratch& scratch) const;

  // The exact engine: the first match at or after `from`.
  Result<std::optional<Span>> exact(std::string_view text, size_t from, Scratch& scratch) const;
  const HyperscanEngine* hyperscan() const;
  Result<const Pcre2Engine*> pcre2() const;

  Regex regex_;
  Required required_;
  std::optional<Key> key_;

  // Made on first need.
  mutable std::once_flag hyperscan_made_, nfa_made_, pcre2_made_;
  mutable std::unique_ptr<NfaEngine> nfa_;
  mutable std::unique_ptr<HyperscanEngine> hyperscan_;
  mutable BytePattern::Trust trust_ = BytePattern::Trust::nowhere;
  mutable Result<std::unique_ptr<Pcre2Engine>> pcre2_;
};

}  // namespace helve::search
