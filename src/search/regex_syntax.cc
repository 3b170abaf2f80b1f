#include "search/regex_syntax.h"

#include <fmt/core.h>

#include "base/text.h"
#include "search/regex_parser.h"

namespace helve::search {
namespace {

constexpr size_t kShownPattern = 60;  // characters of the pattern in an error

// Nodes that the tree has when each repetition is written out as often as it must match.
size_t expanded(const Node& node) {
  size_t size = 1;
  for (const Node& child : node.children) size += expanded(child);
  if (node.kind != Node::Kind::repeat) return std::min(size, kMaxExpanded + 1);
  const std::uint32_t times = node.most == kUnbounded ? node.least + 1 : node.most;
  return std::min(size * std::max(times, 1u), kMaxExpanded + 1);
}

Node wrapped_as_word(Node inside) {
  Node out{.kind = Node::Kind::concat};
  out.children.push_back({.kind = Node::Kind::word_start_half});
  out.children.push_back({.kind = Node::Kind::group, .children = {}});
  out.children.back().children.push_back(std::move(inside));
  out.children.push_back({.kind = Node::Kind::word_end_half});
  return out;
}

// Whether the tree has a way to match a newline, or looks at one.
bool reaches_over_lines(const Node& node) {
  switch (node.kind) {
    case Node::Kind::literal:
      return node.character == '\n';
    case Node::Kind::set:
      return node.set->bytes['\n'];
    case Node::Kind::line_start:
    case Node::Kind::line_end:
    case Node::Kind::text_start:
    case Node::Kind::text_end:
    case Node::Kind::back_reference:
    case Node::Kind::look:
      return true;
    default:
      return std::ranges::any_of(node.children, reaches_over_lines);
  }
}

std::string_view about_newlines(Advice advice) {
  return advice == Advice::parameters ? "use multiline=true to match across lines"
                                      : "search for each of the lines";
}

Result<Node> parse_literal(std::string_view text, const RegexOptions& options, bool ignore_case) {
  Node out{.kind = Node::Kind::concat};
  for (size_t at = 0; at < text.size();) {
    const size_t length = char_length(text.substr(at));
    char32_t c = static_cast<unsigned char>(text[at]);
    if (length > 1) {
      c &= 0x7f >> length;
      for (size_t i = 1; i < length; ++i)
        c = c << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
    }
    if (c == '\n' && options.newlines == Newlines::excluded) {
      return Error{Code::invalid_argument,
                   fmt::format("the pattern has a newline at offset {}, and a match within one "
                               "line cannot hold it",
                               at),
                   std::string(about_newlines(options.advice)), "invalid_pattern"};
    }
    out.children.push_back(
        {.kind = Node::Kind::literal, .ignore_case = ignore_case, .character = c});
    at += length;
  }
  return out;
}

bool has_uppercase(const Node& sequence) {
  return std::ranges::any_of(sequence.children,
                             [](const Node& node) { return is_uppercase(node.character); });
}

}  // namespace

std::string bytes_of(const Node& literal) {
  std::string out;
  if (literal.unicode)
    out = utf8_of(literal.character);
  else
    out += static_cast<char>(literal.character);
  return out;
}

Result<Regex> parse_regex(std::string_view pattern, const RegexOptions& options) {
  if (pattern.size() > kMaxPattern) {
    return Error{
        Code::too_large,
        fmt::format("the pattern has {} bytes, the limit is {}", pattern.size(), kMaxPattern),
        "search for less at once", "invalid_pattern"};
  }
  if (const size_t valid = valid_utf8_prefix(pattern); valid < pattern.size()) {
    return Error{Code::invalid_argument,
                 fmt::format("the pattern is not UTF-8 at offset {}", valid),
                 "(?-u:\\xNN) matches a byte", "invalid_pattern"};
  }
  Regex out{.options = options};
  out.ignore_case = options.case_mode == CaseMode::insensitive;
  if (options.kind == PatternKind::literal) {
    if (options.case_mode == CaseMode::smart)
      out.ignore_case = !has_uppercase(TRY(parse_literal(pattern, options, false)));
    out.root = TRY(parse_literal(pattern, options, out.ignore_case));
  } else {
    if (options.case_mode == CaseMode::smart) {
      RegexParser look(pattern, options, false);
      TRY(look.parse());
      out.ignore_case = look.saw_literal() && !look.saw_letter_case();
    }
    RegexParser parser(pattern, options, out.ignore_case);
    out.root = TRY(parser.parse());
    out.groups = parser.groups();
    out.needs_backtracking = parser.needs_backtracking();
    out.byte_mode = parser.byte_mode();
  }
  if (expanded(out.root) > kMaxExpanded) {
    return Error{Code::too_large,
                 fmt::format("the pattern repeats so much that it has over {} parts", kMaxExpanded),
                 "use smaller counts in {n,m}", "invalid_pattern"};
  }
  // Most patterns stay within a line, whatever was allowed: then lines can be searched one by one.
  if (!reaches_over_lines(out.root)) out.options.newlines = Newlines::excluded;
  if (options.word) out.root = wrapped_as_word(std::move(out.root));
  return out;
}

Error RegexParser::wrong(size_t at, std::string_view what, std::string_view hint) const {
  const bool is_about_text = hint.empty() || hint == kDoubleBackslash;
  return Error{Code::invalid_argument,
               fmt::format("the pattern is wrong at offset {}: {}: \"{}\"", at, what,
                           escape_for_display(preview(pattern_.substr(at), kShownPattern))),
               fmt::format("{}{}", hint.empty() ? "put \\ before characters such as ( [ { *" : hint,
                           is_about_text && advice_ == Advice::parameters
                               ? ", or use literal=true to search for the text as it is"
                               : ""),
               "invalid_pattern"};
}

bool RegexParser::take(std::string_view text) {
  if (!looking_at(text)) return false;
  at_ += text.size();
  return true;
}

void RegexParser::skip_blanks() {
  while (flags_.verbose && !at_end()) {
    if (peek() == '#') {
      while (!at_end() && peek() != '\n') ++at_;
    } else if (peek() == ' ' || (peek() >= '\t' && peek() <= '\r')) {
      ++at_;
    } else {
      return;
    }
  }
}

char32_t RegexParser::next_character() {
  const size_t length = char_length(pattern_.substr(at_));
  char32_t c = static_cast<unsigned char>(pattern_[at_]);
  if (length > 1) {
    c &= 0x7f >> length;
    for (size_t i = 1; i < length; ++i)
      c = c << 6 | (static_cast<unsigned char>(pattern_[at_ + i]) & 0x3f);
  }
  at_ += length;
  return c;
}

Result<Node> RegexParser::parse() {
  Node root = TRY(alternation());
  if (!at_end()) return wrong(at_, "this ) closes nothing");
  for (const Reference& reference : references_) {
    if (reference.number > groups_)
      return wrong(reference.at, fmt::format("there is no group {}", reference.number));
  }
  return root;
}

Result<Node> RegexParser::alternation() {
  if (++depth_ > kMaxDepth) {
    return wrong(at_, fmt::format("more than {} groups within each other", kMaxDepth),
                 "use fewer groups");
  }
  const Flags outside = flags_;
  Node out{.kind = Node::Kind::alternate};
  do {
    out.children.push_back(TRY(sequence()));
  } while (take("|"));
  flags_ = outside;
  --depth_;
  if (out.children.size() == 1) {
    Node only = std::move(out.children.front());
    return only;
  }
  return out;
}

Result<Node> RegexParser::sequence() {
  Node out{.kind = Node::Kind::concat};
  for (skip_blanks(); !at_end() && peek() != '|' && peek() != ')'; skip_blanks()) {
    Node part = TRY(repeated());
    if (part.kind != Node::Kind::empty) out.children.push_back(std::move(part));
  }
  if (out.children.size() == 1) {
    Node only = std::move(out.children.front());
    return only;
  }
  return out;
}

Result<Node> RegexParser::repeated() {
  const size_t start = at_;
  Node node = TRY(atom());
  for (int nested = 0;; ++nested) {
    skip_blanks();
    std::optional<Node> repeat = TRY(repetition_of(node));
    if (!repeat) return node;
    if (nested >= kMaxDepth) return wrong(start, "too many repetitions of repetitions");
    repeat->children.push_back(std::move(node));
    node = std::move(*repeat);
  }
}

Result<std::optional<Node>> RegexParser::repetition_of(Node& atom) {
  const size_t start = at_;
  Node out{.kind = Node::Kind::repeat, .least = 0, .most = kUnbounded};
  if (take("*")) {
  } else if (take("+")) {
    out.least = 1;
  } else if (take("?")) {
    out.most = 1;
  } else if (peek() != '{' || !TRY(counts(out.least, out.most))) {
    return std::optional<Node>();
  }
  if (atom.kind == Node::Kind::empty) return wrong(start, "there is nothing to repeat");
  out.greedy = take("?") == flags_.swap_greed;
  return std::optional<Node>(std::move(out));
}

// {n}, {n,} or {n,m}; anything else that begins with "{" is text.
Result<bool> RegexParser::counts(std::uint32_t& least, std::uint32_t& most) {
  const size_t start = at_;
  size_t at = at_ + 1;
  const auto number = [&](std::uint32_t& value) {
    size_t digits = 0;
    for (value = 0; at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9'; ++digits)
      value = std::min(value * 10 + static_cast<std::uint32_t>(pattern_[at++] - '0'), 1'000'000u);
    return digits > 0;
  };
  if (!number(least)) return false;
  most = least;
  if (at < pattern_.size() && pattern_[at] == ',') {
    ++at;
    if (!number(most)) most = kUnbounded;
  }
  if (at >= pattern_.size() || pattern_[at] != '}') return false;
  at_ = at + 1;
  if (least > kMaxRepeat || (most != kUnbounded && most > kMaxRepeat)) {
    return wrong(start, fmt::format("a repetition over {} times", kMaxRepeat),
                 "use a smaller count, or * and +");
  }
  if (least > most) return wrong(start, "the repetition ends before it begins");
  return true;
}

Result<Node> RegexParser::atom() {
  const size_t start = at_;
  switch (peek()) {
    case '(':
      return group();
    case '[':
      return set_node(TRY(bracket()));
    case '\\':
      return escape();
    case '.':
      ++at_;
      return dot();
    case '^':
      ++at_;
      return simple(flags_.lines ? Node::Kind::line_start : Node::Kind::text_start);
    case '$':
      ++at_;
      return simple(flags_.lines ? Node::Kind::line_end : Node::Kind::text_end);
    case '*':
    case '+':
    case '?':
      return wrong(start, "there is nothing to repeat");
    default:
      return literal(next_character(), start);
  }
}

Node RegexParser::simple(Node::Kind kind) const {
  return {.kind = kind, .ignore_case = flags_.ignore_case, .unicode = flags_.unicode};
}

void RegexParser::note_literal(char32_t character) {
  saw_literal_ = true;
  saw_upper_ = saw_upper_ || is_uppercase(character);
}

Result<Node> RegexParser::literal(char32_t character, size_t at) {
  note_literal(character);
  if (character == '\n' && newlines_ == Newlines::excluded) {
    return wrong(at, "a newline, and a match within one line cannot hold it",
                 about_newlines(advice_));
  }
  Node out = simple(Node::Kind::literal);
  out.character = character;
  return out;
}

Result<Node> RegexParser::dot() {
  CharSet set{.negated = true};
  if (!flags_.dot_all || newlines_ == Newlines::excluded)
    set.items.push_back({.first = '\n', .last = '\n'});
  return set_node(std::move(set));
}

Result<Node> RegexParser::set_node(CharSet set) const {
  Node out = simple(Node::Kind::set);
  set.settle(flags_.ignore_case, flags_.unicode);
  if (newlines_ == Newlines::excluded) set.bytes.reset('\n');
  out.set = std::make_shared<const CharSet>(std::move(set));
  return out;
}

}  // namespace helve::search
