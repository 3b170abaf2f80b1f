// Groups of a pattern: (…), (?:…), names, flags, look-around and references.
#include <fmt/core.h>

#include "base/text.h"
#include "search/regex_parser.h"

namespace helve::search {

Result<Node> RegexParser::group() {
  const size_t start = at_++;
  if (peek() == '*') return wrong(start, "control verbs are not supported");
  if (!take("?")) return group_body({.kind = Node::Kind::group, .number = ++groups_}, start);
  if (take(":")) return group_body({.kind = Node::Kind::group}, start);
  if (take("#")) {
    const size_t end = pattern_.find(')', at_);
    if (end == std::string_view::npos) return wrong(start, "this comment has no end");
    at_ = end + 1;
    return Node{};
  }
  if (take(">")) {
    needs_backtracking_ = true;
    return group_body({.kind = Node::Kind::atomic}, start);
  }
  for (const auto& [mark, behind, negated] : {std::tuple{"=", false, false},
                                              {"!", false, true},
                                              {"<=", true, false},
                                              {"<!", true, true}}) {
    if (!take(mark)) continue;
    needs_backtracking_ = true;
    return group_body({.kind = Node::Kind::look, .behind = behind, .negated = negated}, start);
  }
  if (take("P=")) return named_reference(TRY(group_name(')')), start);
  const bool named = take("P<") || take("<");
  if (named || take("'")) {
    std::string name = TRY(group_name(named ? '>' : '\''));
    if (std::ranges::any_of(names_, [&](const Name& other) { return other.name == name; }))
      return wrong(start, fmt::format("there is another group '{}'", name));
    names_.push_back({std::move(name), ++groups_});
    return group_body({.kind = Node::Kind::group, .number = groups_}, start);
  }
  return flag_group(start);
}

Result<Node> RegexParser::group_body(Node node, size_t start) {
  const Flags outside = flags_;
  node.ignore_case = flags_.ignore_case;
  node.unicode = flags_.unicode;
  node.children.push_back(TRY(alternation()));
  if (!take(")")) return wrong(start, "this group is not closed");
  flags_ = outside;
  return node;
}

// (?i) for the rest of the enclosing group, or (?i:…).
Result<Node> RegexParser::flag_group(size_t start) {
  const Flags outside = flags_;
  bool on = true;
  size_t letters = 0;
  for (; !at_end() && peek() != ')' && peek() != ':'; ++at_) {
    if (peek() == '-') {
      if (!on) return wrong(at_, "a second - among the flags");
      on = false;
      letters = 0;
    } else {
      TRY(set_flag(peek(), on, at_));
      ++letters;
    }
  }
  if (at_end()) return wrong(start, "this group is not closed");
  if (letters == 0) return wrong(start, "flags are missing");
  if (take(")")) return Node{};
  ++at_;
  Node out = TRY(group_body({.kind = Node::Kind::group}, start));
  flags_ = outside;
  return out;
}

Result<void> RegexParser::set_flag(char letter, bool on, size_t at) {
  switch (letter) {
    case 'i':
      flags_.ignore_case = on;
      return {};
    case 's':
      flags_.dot_all = on;
      return {};
    case 'm':
      flags_.lines = on;
      return {};
    case 'x':
      flags_.verbose = on;
      return {};
    case 'u':
      flags_.unicode = on;
      return {};
    case 'U':
      flags_.swap_greed = on;
      return {};
    default:
      return wrong(at, "no such flag or kind of group",
                   "flags are i, s, m, x, u and U; groups (?:…), (?<name>…), (?=…), (?!…), (?<=…), "
                   "(?<!…) and (?>…)");
  }
}

Result<std::string> RegexParser::group_name(char end) {
  const size_t start = at_;
  while (!at_end() && (is_ascii_word(static_cast<unsigned char>(peek())) ||
                       static_cast<unsigned char>(peek()) >= 0x80)) {
    ++at_;
  }
  std::string name(pattern_.substr(start, at_ - start));
  const bool starts_with_digit = !name.empty() && name[0] >= '0' && name[0] <= '9';
  if (name.empty() || starts_with_digit || peek() != end)
    return wrong(start, "this is not the name of a group");
  ++at_;
  return name;
}

Result<Node> RegexParser::back_reference(std::uint32_t number, size_t at) {
  if (number == 0) return wrong(at, "groups are counted from 1");
  needs_backtracking_ = true;
  references_.push_back({number, at});
  Node out = simple(Node::Kind::back_reference);
  out.number = number;
  return out;
}

Result<Node> RegexParser::named_reference(std::string_view name, size_t at) {
  for (const Name& known : names_) {
    if (known.name == name) return back_reference(known.number, at);
  }
  return wrong(at, fmt::format("there is no group '{}' before it", name));
}

}  // namespace helve::search
