// Parser: one pass over a script, left to right, by recursive descent over its bytes. The grammar
// of a shell depends on where a word stands, so there is no separate list of tokens. Used by
// parse.cc only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/script.h"

namespace helve::shell {

class Parser {
 public:
  // `place`: what is said of where things are, when the text is not itself part of the script.
  Parser(std::string_view source, Script& script, size_t depth,
         std::optional<std::uint32_t> place = std::nullopt)
      : source_(source), script_(script), depth_(depth), place_(place) {}

  void run();
  // The text of a here-document in which expansions happen.
  void run_here_text();

 private:
  static constexpr int kEnd = -1;

  enum class Mode : unsigned char {
    plain,
    value,    // of an assignment
    pattern,  // after == in [[ ]], where @(a|b) is one word
    regex,    // after =~ in [[ ]], where (a|b) is one word
  };
  enum class Quoting : unsigned char { none, quoted };

  // A word in the making.
  struct Draft {
    std::string value;
    size_t known = std::string::npos;  // bytes of the value before the first that varies
    std::vector<std::uint32_t> wild;
    Varies varies = Varies::no;
    bool quoted = false;
    bool several = false;
    // Of the braces and brackets that are open so far.
    size_t brace = std::string::npos;
    size_t bracket = std::string::npos;
    bool brace_list = false;

    void vary(Varies how, size_t from, bool splits);
    void finish_bracket();
  };

  struct HereDocument {
    std::string delimiter;
    bool quoted = false;
    bool strips_tabs = false;
    size_t command = std::string::npos;  // in script_.commands, once it stands there
  };

  class Deeper;

  // parser.cc: characters, blanks and failures.
  bool at_end() const { return at_ >= source_.size(); }
  int peek() {
    if (at_ < source_.size() && source_[at_] != '\\')
      return static_cast<unsigned char>(source_[at_]);
    return peek_past_joined_lines();
  }
  int peek_past_joined_lines();
  int peek_second();
  char take();
  bool take_if(std::string_view text);
  bool looking_at(std::string_view text);
  void skip_blanks();
  void line_break();
  void take_newline();
  std::string_view peek_word();
  bool take_word(std::string_view word);
  std::uint32_t place(size_t at) const { return place_ ? *place_ : static_cast<std::uint32_t>(at); }
  void doubt(std::string_view reason) { script_.doubt(std::string(reason), place(at_)); }
  void give_up(std::string_view reason);  // on a script that a shell may well take
  void fail(std::string_view reason);     // of a script that no shell takes
  void fail_here();
  void expect_word(std::string_view word);
  void bash_only() { script_.bash_only = true; }
  void emit(Command command);
  void emit_variable(std::string name);  // that is set to something

  // parser_list.cc: lists, pipelines and simple commands.
  size_t list();
  void needed_list();
  bool at_list_end();
  void and_or();
  void pipeline();
  bool take_prefixes();
  void command();
  void simple_command();
  bool assignment_ahead(bool only_arrays);
  bool subscript_ahead();
  Assignment assignment();
  Word array_value(size_t start);
  bool function_parentheses();
  void function_body(const Word& name);

  // parser_compound.cc: what begins with a reserved word or a parenthesis.
  bool compound();
  void subshell();
  void group();
  void if_clause();
  void loop();
  void for_clause();
  void for_arithmetic();
  void do_group();
  void case_clause();
  bool case_item();
  void function_keyword();
  void conditional();
  void arithmetic_command();
  // `first` is the first command of what they belong to.
  void compound_redirections(size_t first);
  void feed(size_t first);
  bool is_arithmetic(size_t from);
  void arithmetic_until_close();

  // parser_redirect.cc: redirections and here-documents.
  bool redirection_ahead();
  void add_redirection(Command& command);
  Redirection redirection();
  Redirection here_document(bool strips_tabs);
  std::string here_delimiter(bool& quoted);
  void read_here_documents();
  std::string read_here_text(const HereDocument& document);

  // parser_word.cc: words and what is in them.
  Word word(Mode mode = Mode::plain);
  void plain_run(Draft& draft);
  void word_part(Draft& draft, Mode mode, size_t start, int& parentheses);
  bool ends_word(Mode mode, const Draft& draft, int parentheses);
  void plain_character(Draft& draft, Mode mode, size_t start);
  Word finished(Draft draft, size_t start, Mode mode);
  void single_quoted(Draft& draft);
  void double_quoted(Draft& draft);
  void double_quoted_part(Draft& draft);
  void ansi_quoted(Draft& draft);
  void backquoted(Draft& draft, Quoting quoting);

  // parser_dollar.cc: what begins with a $.
  void dollar(Draft& draft, Quoting quoting);
  void substitution();
  void process_substitution(Draft& draft);
  void braced_parameter(Draft& draft, Quoting quoting);
  bool parameter_name(std::string& name);
  void parameter_operator(const std::string& name);
  void parameter_word(Quoting quoting);
  void parameter_part(Draft& scrap, Quoting quoting);
  void subscript();

  std::string_view source_;
  Script& script_;
  size_t depth_;
  std::optional<std::uint32_t> place_;
  size_t at_ = 0;
  size_t looked_ahead_ = 0;   // bytes, by is_arithmetic
  size_t newlines_ = 0;       // taken so far, to see whether a substitution spans lines
  size_t substitutions_ = 0;  // that are open
  // Commands seen when the first here-document of this substitution was read.
  size_t here_commands_ = std::string::npos;
  bool unsure_ = false;  // a shell may take what fails from here on
  bool failed_ = false;
  std::vector<HereDocument> pending_;  // their texts begin after the next newline
  char word_[12] = {};                 // what peek_word() points to
};

// Counts how deep the parser is, and fails it when it is too deep.
class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > kMaxDepth) parser_.give_up("nested too deeply");
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;

 private:
  Parser& parser_;
};

// Said of every place where a variable's value is evaluated: a[$(command)] in one runs the command.
constexpr std::string_view kEvaluates = "arithmetic runs what the variables in it say";

inline bool is_name_start(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(int c) { return c >= '0' && c <= '9'; }
inline bool is_name(int c) { return is_name_start(c) || is_digit(c); }
inline bool is_blank(int c) { return c == ' ' || c == '\t'; }
// Whether the value of the word is surely a number (or, of $!, nothing), in which nothing can be
// evaluated.
bool is_number(const Word& word);
// Ends a word unless quoted.
inline bool is_meta(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' ||
         c == '>' || c == '(' || c == ')';
}

}  // namespace helve::shell
