// The regular expressions that search takes: parsed into a small tree that tells which engine a
// pattern needs and which text every match must hold.
//
// The language is the one of Rust's regex crate as ripgrep uses it (Unicode, ^ and $ at lines),
// with PCRE2's look-around, atomic groups and back-references added, and "{" taken literally where
// it begins no repetition. Whatever the pattern, parsing is bounded in depth, size and counts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/char_set.h"

namespace helve::search {

constexpr size_t kMaxPattern = 64 * 1024;         // bytes
constexpr int kMaxDepth = 100;                    // groups and sets within each other
constexpr std::uint32_t kMaxRepeat = 1000;        // of {n,m}
constexpr size_t kMaxExpanded = 100'000;          // nodes, when every {n} is written out
constexpr std::uint32_t kUnbounded = UINT32_MAX;  // the end of {n,}

struct Node {
  enum class Kind : unsigned char {
    empty,
    literal,  // one character; in byte mode one byte
    set,
    line_start,
    line_end,
    text_start,
    text_end,
    word_boundary,
    not_word_boundary,
    word_start,       // \< and \b{start}
    word_end,         // \> and \b{end}
    word_start_half,  // no word character before
    word_end_half,    // no word character after
    concat,
    alternate,
    repeat,
    group,           // captures when `number` is not 0
    look,            // look-around
    atomic,          // (?>…)
    back_reference,  // to group `number`
  };

  Kind kind = Kind::empty;
  bool ignore_case = false;
  bool unicode = true;
  bool greedy = true;    // repeat
  bool behind = false;   // look
  bool negated = false;  // look
  char32_t character = 0;
  std::uint32_t number = 0;
  std::uint32_t least = 0, most = 0;        // repeat
  std::shared_ptr<const CharSet> set = {};  // shared, because a set never changes once parsed
  std::vector<Node> children = {};
};

enum class CaseMode : unsigned char { sensitive, insensitive, smart };
enum class PatternKind : unsigned char { regex, literal };
enum class Newlines : unsigned char { excluded, matched };  // whether a match may span lines
// What a hint may name: some who ask have parameters for a literal and for matches across lines.
enum class Advice : unsigned char { pattern, parameters };

struct RegexOptions {
  PatternKind kind = PatternKind::regex;
  CaseMode case_mode = CaseMode::sensitive;
  bool word = false;  // the match begins and ends where words do
  Newlines newlines = Newlines::excluded;
  bool dot_all = false;  // . matches newlines, where they are matched at all
  Advice advice = Advice::pattern;
};

struct Regex {
  Node root;
  RegexOptions options;
  bool ignore_case = false;  // the case mode, decided
  std::uint32_t groups = 0;
  bool needs_backtracking = false;  // look-around, atomic groups or back-references
  bool byte_mode = false;           // (?-u) reaches bytes beyond ASCII
};

// invalid_argument of type "invalid_pattern" with the offset of what is wrong and a hint. When
// newlines are excluded nothing in the tree can match one.
Result<Regex> parse_regex(std::string_view pattern, const RegexOptions& options = {});

// The bytes of a literal node, without regard to case.
std::string bytes_of(const Node& literal);

}  // namespace helve::search
