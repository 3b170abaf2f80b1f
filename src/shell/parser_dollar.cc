// What begins with a $: parameters, substitutions, arithmetic.
#include <utility>

#include "shell/parser.h"

namespace helve::shell {

// The $ is taken already.
void Parser::dollar(Draft& draft, Quoting quoting) {
  const bool splits = quoting == Quoting::none;
  const size_t here = draft.value.size();
  const int c = peek();
  if (c == '(') {
    const bool arithmetic = peek_second() == '(' && is_arithmetic(at_);
    draft.vary(arithmetic ? Varies::arithmetic : Varies::substitution, here, splits);
    if (!arithmetic) return substitution();
    take_if("((");
    arithmetic_until_close();
    if (!take_if("))")) fail_here();
  } else if (c == '{') {
    braced_parameter(draft, quoting);
  } else if (c == '[') {
    bash_only();
    give_up("arithmetic in $[ ]");
  } else if (c == '\'' && quoting == Quoting::none) {
    ansi_quoted(draft);
  } else if (c == '"' && quoting == Quoting::none) {
    bash_only();
    draft.vary(Varies::translation, here, false);
    double_quoted(draft);
  } else if (is_name_start(c)) {
    while (is_name(peek())) ++at_;
    draft.vary(Varies::parameter, here, splits);
  } else if (is_digit(c) || (c != kEnd && std::string_view("@*#?-$!").find(static_cast<char>(c)) !=
                                              std::string_view::npos)) {
    ++at_;
    draft.vary(Varies::parameter, here, splits || c == '@');
  } else {
    draft.value += '$';
  }
}

// From the ( on.
void Parser::substitution() {
  const Deeper deeper(*this);
  if (failed_) return;
  if (peek_second() == '(') {
    doubt("(( that shells take differently");
    unsure_ = true;
  }
  std::vector<HereDocument> outer = std::move(pending_);
  pending_.clear();
  const size_t newlines = newlines_;
  ++at_;
  ++substitutions_;
  const size_t around = std::exchange(here_commands_, std::string::npos);
  list();
  --substitutions_;
  if (!take_if(")")) return fail_here();
  // Bash 5.2 loses a separator behind a here-document when it writes a substitution down.
  if (here_commands_ != std::string::npos && here_commands_ != script_.commands.size())
    doubt("commands behind a here-document in a substitution");
  here_commands_ = around;
  if (!pending_.empty() || (!outer.empty() && newlines_ != newlines))
    return give_up("a here-document that a substitution cuts");
  pending_ = std::move(outer);
}

void Parser::process_substitution(Draft& draft) {
  bash_only();
  draft.vary(Varies::process, draft.value.size(), false);
  ++at_;
  peek();
  substitution();
}

void Parser::braced_parameter(Draft& draft, Quoting quoting) {
  const Deeper deeper(*this);
  if (failed_) return;
  ++at_;
  std::string name;
  if (!parameter_name(name)) return;
  draft.vary(Varies::parameter, draft.value.size(),
             quoting == Quoting::none || name == "@" || peek() == '[');
  if (peek() == '[') subscript();
  parameter_operator(name);
  parameter_word(quoting);
}

// Also # for a length. ! for a name that is in a variable is doubted.
bool Parser::parameter_name(std::string& name) {
  int c = peek();
  if (c == '!' && peek_second() != '}') {
    doubt("a variable that names another one");
    ++at_;
    c = peek();
  } else if (c == '#' && peek_second() != '}') {
    ++at_;
    c = peek();
  }
  if (is_name_start(c)) {
    while (is_name(peek())) name += take();
  } else if (is_digit(c)) {
    while (is_digit(peek())) name += take();
  } else if (c != kEnd &&
             std::string_view("@*#?-$!").find(static_cast<char>(c)) != std::string_view::npos) {
    name = take();
  } else if (c != '}' || name.empty()) {
    give_up("${ without a plain name");
    return false;
  }
  return true;
}

// Those that do more than choose or cut a text.
void Parser::parameter_operator(const std::string& name) {
  const int c = peek();
  const int second = peek_second();
  if (c == '@' && second == 'P') doubt("${…@P} runs what a variable says");
  const bool assigns = c == '=' || (c == ':' && second == '=');
  if (assigns) emit_variable(name);
  if (c != ':' || second == '-' || second == '=' || second == '+' || second == '?') return;
  bash_only();
  // ${x:offset:length} evaluates both.
  const size_t end = source_.find_first_not_of(" :-0123456789", at_);
  if (end == source_.npos || source_[end] != '}') doubt(kEvaluates);
}

void Parser::parameter_word(Quoting quoting) {
  Draft scrap;
  while (!failed_) {
    const int c = peek();
    if (c == kEnd) return fail("a ${ is not closed");
    if (c == '}') {
      ++at_;
      return;
    }
    parameter_part(scrap, quoting);
  }
}

void Parser::parameter_part(Draft& scrap, Quoting quoting) {
  const int c = peek();
  if (c == '\\') {
    at_ += 2;
    if (at_ > source_.size()) at_ = source_.size();
  } else if (c == '\'') {
    // Within double quotes it depends on the operator whether this quotes anything.
    if (quoting == Quoting::quoted) return give_up("a ' within \"${…}\"");
    single_quoted(scrap);
  } else if (c == '"') {
    double_quoted(scrap);
  } else if (c == '$') {
    ++at_;
    dollar(scrap, quoting);
  } else if (c == '`') {
    backquoted(scrap, quoting);
  } else if ((c == '<' || c == '>') && peek_second() == '(') {
    process_substitution(scrap);
  } else {
    ++at_;
  }
}

// [0], [@] and [*] are plain; anything else is evaluated, or is the key of an associative array.
void Parser::subscript() {
  const Deeper deeper(*this);
  if (failed_) return;
  bash_only();
  const size_t start = ++at_;
  Draft scrap;
  for (size_t open = 0; !failed_;) {
    const int c = peek();
    if (c == kEnd) return fail("a [ is not closed");
    if (c == ']' && open-- == 0) break;
    if (c == '[') ++open;
    parameter_part(scrap, Quoting::none);
  }
  if (failed_) return;
  const std::string_view inside = source_.substr(start, at_++ - start);
  if (inside == "@" || inside == "*") return;
  if (inside.empty() || inside.find_first_not_of("0123456789") != inside.npos) doubt(kEvaluates);
}

}  // namespace helve::shell
