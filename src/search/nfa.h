// NfaEngine: decides exactly whether and where a pattern first matches, in time linear in the text
// whatever the pattern, by following all ways to match at once. It is asked about the lines that
// faster means have narrowed down: those with characters beyond ASCII, and matches across lines.
//
// The match is the one that a backtracking engine would find first: the leftmost, and of those the
// one that the pattern prefers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/char_test.h"
#include "search/interrupt.h"
#include "search/regex_syntax.h"

namespace helve::search {

struct Span {
  size_t begin = 0, end = 0;
};

// Immutable, so any thread may use it with a scratch space of its own.
class NfaEngine {
 public:
  struct Thread {
    std::uint32_t at;
    size_t begin;
  };
  // Threads in the order of preference, and which instructions they stand at.
  struct Threads {
    std::vector<Thread> list;
    std::vector<std::uint32_t> places;
  };
  struct Scratch {
    Threads now, next;
    std::vector<std::uint32_t> pending;
    CharTest::Memory memory;
  };

  // Not for patterns that need backtracking.
  explicit NfaEngine(const Regex& regex);

  // The first match at or after `from`; nothing when it is interrupted.
  std::optional<Span> find(std::string_view text, size_t from, Scratch& scratch,
                           Interrupt& interrupt) const;

 private:
  enum class Op : unsigned char { character, set, split, jump, assertion, match };
  struct Instruction {
    Op op;
    Node::Kind kind = Node::Kind::empty;  // assertion
    bool unicode = true;                  // assertion
    char32_t character = 0;
    std::uint32_t first = 0, second = 0;  // split: in the order of preference; jump: first
    std::uint32_t set = 0;                // of sets_
  };
  struct Position;

  void emit(const Node& node);
  void emit_literal(const Node& node);
  void emit_repeat(const Node& node);
  std::uint32_t split(bool prefer_next);
  std::uint32_t add_set(const CharSet& set, bool ignore_case, bool unicode);
  void find_first_bytes();
  std::uint32_t size() const { return static_cast<std::uint32_t>(program_.size()); }

  void follow(std::uint32_t at, size_t begin, const Position& position, Threads& threads,
              Scratch& scratch) const;
  bool holds(const Instruction& assertion, const Position& position, Scratch& scratch) const;
  bool consumes(const Instruction& instruction, const Position& position, Scratch& scratch) const;
  size_t skip(std::string_view text, size_t at) const;

  bool byte_mode_;
  std::vector<Instruction> program_;
  CharTest tests_;
  std::bitset<256> first_bytes_;  // that a match may begin with
  bool may_be_empty_ = false;
};

}  // namespace helve::search
