// Compound commands: groups, branches, loops, conditions, functions.
#include <fmt/format.h>

#include <algorithm>

#include "shell/parser.h"

namespace helve::shell {
namespace {

// One $((…)) and nothing else, without anything in it that has a value of its own.
bool is_plain_arithmetic(std::string_view text) {
  if (!text.starts_with("$((") || !text.ends_with("))")) return false;
  size_t open = 0;
  for (const char c : text.substr(3, text.size() - 5)) {
    if (c == '(') ++open;
    if (c == ')' && open-- == 0) return false;
    if (std::string_view("$'\"\\`").find(c) != std::string_view::npos) return false;
  }
  return open == 0;
}

// ${#name}
bool is_length(std::string_view text) {
  return text.starts_with("${#") && text.size() > 4 && text.ends_with('}') &&
         std::ranges::all_of(text.substr(3, text.size() - 4), is_name);
}

bool compares_numbers(std::string_view op) {
  return op == "-eq" || op == "-ne" || op == "-lt" || op == "-le" || op == "-gt" || op == "-ge";
}

}  // namespace

bool is_number(const Word& word) {
  std::string_view text = word.text;
  if (word.literal()) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, is_digit);
  }
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  return text == "$?" || text == "$#" || text == "$$" || text == "$!" || is_length(text) ||
         is_plain_arithmetic(text);
}

bool Parser::compound() {
  if (peek() == '(') {
    const bool doubled = peek_second() == '(';
    if (doubled && is_arithmetic(at_)) return arithmetic_command(), true;
    if (doubled) {
      doubt("(( that shells take differently");
      unsure_ = true;
    }
    return subshell(), true;
  }
  const std::string_view word = peek_word();
  if (word == "{") return group(), true;
  if (word == "if") return if_clause(), true;
  if (word == "while" || word == "until") return loop(), true;
  if (word == "for" || word == "select") return for_clause(), true;
  if (word == "case") return case_clause(), true;
  if (word == "function") return function_keyword(), true;
  if (word == "[[") return conditional(), true;
  if (word == "coproc") {
    take_if("coproc");
    bash_only();
    doubt("coproc");
    command();
    return true;
  }
  return false;
}

// They belong to all of the compound command.
void Parser::compound_redirections(size_t first) {
  Command command{.at = place(at_)};
  for (skip_blanks(); redirection_ahead() && !failed_; skip_blanks()) add_redirection(command);
  if (command.takes_input()) feed(first);
  if (!command.redirections.empty()) emit(std::move(command));
}

// All commands from this one on are given input.
void Parser::feed(size_t first) {
  for (size_t i = first; i < script_.commands.size(); ++i) script_.commands[i].fed = true;
}

void Parser::subshell() {
  take_if("(");
  needed_list();
  if (!take_if(")")) fail_here();
}

void Parser::group() {
  take_if("{");
  needed_list();
  expect_word("}");
}

void Parser::if_clause() {
  take_if("if");
  needed_list();
  expect_word("then");
  needed_list();
  while (take_word("elif")) {
    needed_list();
    expect_word("then");
    needed_list();
  }
  if (take_word("else")) needed_list();
  expect_word("fi");
}

void Parser::loop() {
  if (!take_word("while")) take_word("until");
  needed_list();
  do_group();
}

void Parser::do_group() {
  line_break();
  if (peek_word() == "{") {
    bash_only();
    return group();
  }
  expect_word("do");
  needed_list();
  expect_word("done");
}

void Parser::for_clause() {
  if (!take_word("for")) {
    take_word("select");
    bash_only();
  }
  skip_blanks();
  if (looking_at("((")) return for_arithmetic();
  if (const int c = peek(); c == kEnd || is_meta(c)) return fail_here();
  emit_variable(word().text);
  line_break();
  if (take_word("in")) {
    for (skip_blanks(); peek() != kEnd && peek() != '\n' && peek() != ';'; skip_blanks()) {
      const int c = peek();
      if (is_meta(c) && !((c == '<' || c == '>') && peek_second() == '(')) return fail_here();
      word();
    }
    if (!take_if(";") && peek() != '\n') return fail_here();
  } else {
    take_if(";");
  }
  do_group();
}

void Parser::for_arithmetic() {
  bash_only();
  take_if("((");
  arithmetic_until_close();
  if (!take_if("))")) return fail_here();
  skip_blanks();
  take_if(";");
  do_group();
}

void Parser::case_clause() {
  take_if("case");
  skip_blanks();
  if (const int c = peek(); c == kEnd || is_meta(c)) return fail_here();
  word();
  expect_word("in");
  while (case_item()) {
  }
  expect_word("esac");
}

// False after the last one.
bool Parser::case_item() {
  line_break();
  if (peek() == kEnd || peek_word() == "esac") return false;
  take_if("(");
  do {
    skip_blanks();
    if (const int c = peek(); c == kEnd || is_meta(c)) {
      fail_here();
      return false;
    }
    word();
    skip_blanks();
  } while (take_if("|"));
  if (!take_if(")")) {
    fail_here();
    return false;
  }
  list();
  skip_blanks();
  if (take_if(";;&") || take_if(";&")) {
    bash_only();
    return true;
  }
  return take_if(";;");
}

void Parser::function_keyword() {
  take_if("function");
  bash_only();
  skip_blanks();
  if (const int c = peek(); c == kEnd || is_meta(c)) return fail_here();
  const Word name = word();
  function_parentheses();
  function_body(name);
}

// [[ … ]] runs nothing but the substitutions in it, and what arithmetic finds in variables.
void Parser::conditional() {
  take_if("[[");
  bash_only();
  Word last;
  std::string_view op;
  size_t words = 0;
  for (line_break(); !failed_; line_break()) {
    if (take_word("]]")) {
      if (words == 0) fail_here();
      return;
    }
    if (take_if("&&") || take_if("||") || take_if("(") || take_if(")") || take_if("<") ||
        take_if(">")) {
      op = {};
      continue;
    }
    if (const int c = peek(); c == kEnd || is_meta(c)) break;
    const bool pattern = last.text == "==" || last.text == "!=" || last.text == "=";
    const bool regex = last.text == "=~";
    Word next = word(regex ? Mode::regex : pattern ? Mode::pattern : Mode::plain);
    ++words;
    if (compares_numbers(op) && !is_number(next)) doubt(kEvaluates);
    if (op == "-v" && (!next.literal() || next.text.find('[') != std::string::npos))
      doubt(kEvaluates);
    if (next.literal() && compares_numbers(next.text) && !is_number(last)) doubt(kEvaluates);
    last = std::move(next);
    op = last.literal() && !last.quoted ? std::string_view(last.text) : std::string_view();
  }
  fail_here();
}

void Parser::arithmetic_command() {
  bash_only();
  take_if("((");
  arithmetic_until_close();
  if (!take_if("))")) fail_here();
}

// Whether the two parentheses that begin at `from` are closed by two that stand together, as bash
// decides between arithmetic and a subshell within a subshell.
bool Parser::is_arithmetic(size_t from) {
  size_t i = source_.find('(', source_.find('(', from) + 1) + 1;
  for (size_t open = 1; i < source_.size(); ++i) {
    if (++looked_ahead_ > kMaxLookedAhead) {
      give_up("more (( than are looked at");
      return false;
    }
    const char c = source_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"' || c == '`') {
      for (++i; i < source_.size() && source_[i] != c; ++i) {
        if (source_[i] == '\\' && c != '\'') ++i;
      }
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open == 0) {
      return i + 1 < source_.size() && source_[i + 1] == ')';
    }
  }
  return false;
}

// Up to the parenthesis that closes it. Names are doubted: their values are evaluated in turn, and
// a[$(command)] in one runs the command.
void Parser::arithmetic_until_close() {
  const Deeper deeper(*this);
  Draft scrap;
  bool evaluates = false;
  for (size_t open = 0; !failed_;) {
    const int c = peek();
    if (c == kEnd) return fail_here();
    if (c == ')' && open-- == 0) break;
    if (c == '(') ++open;
    if (c == '$') {
      const int second = peek_second();
      evaluates = evaluates || (second != '?' && second != '#');
      ++at_;
      dollar(scrap, Quoting::quoted);
    } else if (c == '`') {
      evaluates = true;
      backquoted(scrap, Quoting::quoted);
    } else if (c == '"') {
      evaluates = true;
      double_quoted(scrap);
    } else if (c == '\'' || c == '\\') {
      return give_up("quotes in arithmetic");
    } else {
      constexpr std::string_view kPlain = " \t\n0123456789+-*/%()<>=!?:,;~^&|";
      evaluates = evaluates || kPlain.find(static_cast<char>(c)) == kPlain.npos;
      ++at_;
    }
  }
  if (evaluates) doubt(kEvaluates);
}

}  // namespace helve::shell
