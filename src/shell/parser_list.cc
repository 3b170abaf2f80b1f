// Lists, pipelines, simple commands, assignments and functions.
#include <algorithm>
#include <array>
#include <utility>

#include "shell/parser.h"

namespace helve::shell {
namespace {

// The reserved words that end a list: none of them begins a command.
bool is_closing(std::string_view word) {
  constexpr std::array<std::string_view, 8> kClosing{"then", "do",   "done", "fi",
                                                     "elif", "else", "esac", "}"};
  return !word.empty() && std::ranges::find(kClosing, word) != kClosing.end();
}

// {NAME[…]} before a redirection has the number of the descriptor put there.
bool assigns_element(std::string_view word) {
  return word.size() > 4 && word[0] == '{' && is_name_start(word[1]) && word.ends_with('}') &&
         word.find('[') != word.npos;
}

bool declares(const Command& command) {
  constexpr std::array<std::string_view, 5> kDeclaring{"declare", "typeset", "local", "export",
                                                       "readonly"};
  return std::ranges::any_of(kDeclaring,
                             [&](std::string_view name) { return command.names(name); });
}

}  // namespace

// How many commands it has; it ends before whatever cannot continue it.
size_t Parser::list() {
  size_t count = 0;
  while (true) {
    line_break();
    if (at_list_end()) return count;
    and_or();
    ++count;
    skip_blanks();
    const int c = peek();
    if (c == '\n') continue;
    if (c == '&' || (c == ';' && !looking_at(";;") && !looking_at(";&"))) {
      if (c == '&') script_.only_simple = false;
      ++at_;
      continue;
    }
    return count;
  }
}

void Parser::needed_list() {
  if (list() == 0) fail_here();
}

bool Parser::at_list_end() {
  const int c = peek();
  if (c == kEnd || c == ')') return true;
  if (c == ';') return looking_at(";;") || looking_at(";&");
  return is_closing(peek_word());
}

void Parser::and_or() {
  pipeline();
  while (true) {
    skip_blanks();
    if (!take_if("&&") && !take_if("||")) return;
    line_break();
    pipeline();
  }
}

void Parser::pipeline() {
  skip_blanks();
  if (take_prefixes()) {
    script_.only_simple = false;
    skip_blanks();
    const int c = peek();
    if (c == kEnd || c == '\n' || (c == ';' && !at_list_end())) return;
  }
  command();
  while (true) {
    skip_blanks();
    if (peek() != '|' || peek_second() == '|') return;
    ++at_;
    if (peek() == '&') {
      ++at_;
      bash_only();
    }
    line_break();
    const size_t first = script_.commands.size();
    command();
    feed(first);
  }
}

// `!` and `time`, which may stand before a pipeline in any number.
bool Parser::take_prefixes() {
  bool any = false;
  while (true) {
    skip_blanks();
    if (take_word("!")) {
      any = true;
    } else if (peek_word() == "time") {
      const size_t start = at_;
      take_if("time");
      skip_blanks();
      if (take_word("-p")) skip_blanks();
      if (take_word("--")) skip_blanks();
      if (peek() == '-') {  // the options of the program, which other shells would run
        at_ = start;
        return any;
      }
      any = true;
    } else {
      return any;
    }
  }
}

void Parser::command() {
  const Deeper deeper(*this);
  skip_blanks();
  // Only a whole pipeline can be negated.
  if (at_list_end() || peek_word() == "!") return fail_here();
  const size_t first = script_.commands.size();
  if (compound()) {
    script_.only_simple = false;
    return compound_redirections(first);
  }
  simple_command();
}

void Parser::simple_command() {
  Command command{.at = place(at_)};
  while (true) {
    skip_blanks();
    const int c = peek();
    if (redirection_ahead()) {
      add_redirection(command);
    } else if (c == kEnd || (is_meta(c) && !((c == '<' || c == '>') && peek_second() == '('))) {
      break;
    } else if (command.words.empty() && assignment_ahead(false)) {
      command.assignments.push_back(assignment());
    } else if (command.words.empty() && subscript_ahead()) {
      give_up("a name with [ that is no assignment");
    } else if (!command.words.empty() && declares(command) && assignment_ahead(true)) {
      const size_t start = at_;
      Assignment array = assignment();
      array.value.text = source_.substr(start, at_ - start);
      array.value.head = array.name + '=';
      command.words.push_back(std::move(array.value));
    } else {
      const bool first =
          command.words.empty() && command.assignments.empty() && command.redirections.empty();
      if (command.words.empty()) command.words.reserve(8);
      const size_t start = (peek(), at_);
      command.words.push_back(word());
      if (assigns_element(source_.substr(start, at_ - start)) && (peek() == '<' || peek() == '>'))
        doubt(kEvaluates);
      if (first && function_parentheses()) return function_body(command.words[0]);
    }
    if (failed_) break;
  }
  if (peek() == '(' && !failed_) return fail_here();
  if (command.words.empty() && command.assignments.empty() && command.redirections.empty())
    return fail_here();
  // What was read before a failure is judged as well.
  const bool failed = std::exchange(failed_, false);
  emit(std::move(command));
  failed_ = failed_ || failed;
}

// NAME=, NAME+= or NAME[…]=. With `only_arrays`: one whose value is in parentheses.
bool Parser::assignment_ahead(bool only_arrays) {
  if (!is_name_start(peek())) return false;
  const size_t start = at_;
  while (is_name(peek())) ++at_;
  bool found = false;
  if (peek() == '[') {
    // How far a subscript goes is decided when it is read.
    const size_t close = only_arrays ? source_.npos : source_.find("]", at_);
    found = close != source_.npos &&
            (source_.substr(close).starts_with("]=") || source_.substr(close).starts_with("]+="));
  } else {
    if (peek() == '+') ++at_;
    found = peek() == '=' && (!only_arrays || peek_second() == '(');
  }
  at_ = start;
  return found;
}

// Where a command may begin, bash takes NAME[ for an array and reads on to the ], past blanks,
// comments and separators.
bool Parser::subscript_ahead() {
  if (!is_name_start(peek())) return false;
  const size_t start = at_;
  while (is_name(peek())) ++at_;
  const bool found = peek() == '[';
  at_ = start;
  return found;
}

Assignment Parser::assignment() {
  Assignment result;
  while (is_name(peek())) result.name += take();
  if (peek() == '[') subscript();
  if (take_if("+")) bash_only();
  if (peek() != '=') {
    fail_here();
    return result;
  }
  ++at_;
  const size_t start = at_;
  if (peek() == '(') {
    result.value = array_value(start);
  } else if (const int c = peek(); c != kEnd && (!is_meta(c) || c == '<' || c == '>')) {
    if (!is_meta(c) || peek_second() == '(') result.value = word(Mode::value);
  }
  result.value.at = place(start);
  return result;
}

// (word [subscript]=word …)
Word Parser::array_value(size_t start) {
  const Deeper deeper(*this);
  if (failed_) return {};
  bash_only();
  ++at_;
  for (line_break(); peek() != ')' && !failed_; line_break()) {
    if (peek() == '[') {
      subscript();
      if (peek() == '+') ++at_;
      if (peek() == '=') ++at_;
      if (const int c = peek(); c == kEnd || is_meta(c)) continue;
    }
    word(Mode::value);
  }
  if (!failed_) ++at_;
  Word value{.text = std::string(source_.substr(start, at_ - start))};
  value.varies = Varies::parameter;
  return value;
}

// After a first word: `()` makes it the name of a function.
bool Parser::function_parentheses() {
  const size_t start = at_;
  skip_blanks();
  if (peek() == '(') {
    ++at_;
    skip_blanks();
    if (peek() == ')') {
      ++at_;
      return true;
    }
  }
  at_ = start;
  return false;
}

void Parser::function_body(const Word& name) {
  const Deeper deeper(*this);
  script_.functions.push_back(name.text);
  script_.only_simple = false;
  if (!name.literal() || name.quoted) doubt("a function whose name is not plain");
  line_break();
  const size_t first = script_.commands.size();
  if (!compound()) return fail_here();
  compound_redirections(first);
}

}  // namespace helve::shell
