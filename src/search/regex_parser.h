// RegexParser: one pass over a pattern, left to right, by recursive descent. Used by parse_regex
// only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/regex_syntax.h"

namespace helve::search {

class RegexParser {
 public:
  RegexParser(std::string_view pattern, const RegexOptions& options, bool ignore_case)
      : pattern_(pattern), newlines_(options.newlines), advice_(options.advice) {
    flags_.ignore_case = ignore_case;
    flags_.dot_all = options.dot_all;
  }

  Result<Node> parse();

  std::uint32_t groups() const { return groups_; }
  bool needs_backtracking() const { return needs_backtracking_; }
  bool byte_mode() const { return byte_mode_; }
  // Of the characters written literally, also in sets: what smart case looks at.
  bool saw_letter_case() const { return saw_upper_; }
  bool saw_literal() const { return saw_literal_; }

 private:
  static constexpr std::string_view kDoubleBackslash = "write \\\\ for a backslash";

  struct Flags {
    bool ignore_case = false;
    bool dot_all = false;
    bool lines = true;
    bool verbose = false;
    bool unicode = true;
    bool swap_greed = false;
  };
  struct Name {
    std::string name;
    std::uint32_t number;
  };
  struct Reference {
    std::uint32_t number;
    size_t at;
  };

  bool at_end() const { return at_ >= pattern_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text);
  void skip_blanks();
  // The next character; bytes that are not UTF-8 are refused before.
  char32_t next_character();
  Error wrong(size_t at, std::string_view what, std::string_view hint = "") const;

  // regex_syntax.cc
  Result<Node> alternation();
  Result<Node> sequence();
  Result<Node> repeated();
  Result<std::optional<Node>> repetition_of(Node& atom);
  Result<bool> counts(std::uint32_t& least, std::uint32_t& most);
  Result<Node> atom();
  Result<Node> literal(char32_t character, size_t at);
  Node simple(Node::Kind kind) const;
  Result<Node> dot();
  Result<Node> set_node(CharSet set) const;

  // regex_group.cc
  Result<Node> group();
  Result<Node> group_body(Node node, size_t start);
  Result<Node> flag_group(size_t start);
  Result<void> set_flag(char letter, bool on, size_t at);
  Result<std::string> group_name(char end);
  Result<Node> back_reference(std::uint32_t number, size_t at);
  Result<Node> named_reference(std::string_view name, size_t at);

  // regex_escape.cc
  Result<Node> escape();
  Result<Node> word_escape(size_t start);
  Result<Node> reference_escape(size_t start);
  Result<std::optional<char32_t>> character_escape(size_t start);
  Result<char32_t> hex_escape(size_t start, size_t digits);
  Result<std::optional<CharSet::Item>> class_escape(size_t start);
  Result<CharSet> bracket();
  Result<CharSet> set_union(size_t start);
  Result<void> set_member(CharSet& set, size_t start);
  Result<bool> posix_class(CharSet& set);
  Result<char32_t> set_character(size_t start);
  void note_literal(char32_t character);

  std::string_view pattern_;
  Newlines newlines_;
  Advice advice_;
  size_t at_ = 0;
  int depth_ = 0;
  Flags flags_;
  std::uint32_t groups_ = 0;
  std::vector<Name> names_;
  std::vector<Reference> references_;
  bool needs_backtracking_ = false;
  bool byte_mode_ = false;
  bool saw_upper_ = false;
  bool saw_literal_ = false;
};

}  // namespace helve::search
