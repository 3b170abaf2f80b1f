// Script: what a shell command may run, as a flat list that is good for judging. It holds every
// simple command, however deep it stands (in a pipe, a branch, a function, a substitution, a
// here-document), and names whatever the parser could not be sure about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve::shell {

// Beyond these a script is not looked at further, which is reported as unknown.
constexpr size_t kMaxScript = 256u << 10;  // bytes
constexpr size_t kMaxDepth = 64;           // constructs within each other
constexpr size_t kMaxCommands = 10'000;
constexpr size_t kMaxRedirections = 100;  // of one command
constexpr size_t kMaxUnknowns = 100;      // the first ones tell enough
// Bytes that are read before it is known what they are; more than once where (( are within others.
constexpr size_t kMaxLookedAhead = 64 * kMaxScript;

// Why the value of a word is known only when the script runs.
enum class Varies : unsigned char {
  no,
  parameter,     // $x, ${x}, $1
  substitution,  // $(…) or `…`
  arithmetic,    // $((…))
  process,       // <(…) or >(…)
  translation,   // $"…"
  tilde,         // ~ or ~user
  braces,        // {a,b} or {1..3}
  glob,          // * ? […]
  input,         // words that a program reads, such as those that xargs adds
};
std::string_view name_of(Varies varies);

struct Word {
  // The exact value when it is literal. When only a glob makes it vary, the value with the glob in
  // it. Otherwise the word as it is written.
  std::string text;
  std::string head;                 // of a word that varies: what its value surely begins with
  std::vector<std::uint32_t> wild;  // where in `text` the unquoted * ? [ of a glob are
  Varies varies = Varies::no;
  bool quoted = false;   // some part of it
  bool several = false;  // may turn out to be no word, or more than one
  std::uint32_t at = 0;  // where in the script

  bool literal() const { return varies == Varies::no; }
};

struct Assignment {
  std::string name;
  Word value;
};

struct Redirection {
  enum class Kind : unsigned char {
    in,           // <
    out,          // > >| &> and >& with a name
    append,       // >> &>>
    in_out,       // <>
    descriptor,   // >&1 <&3 >&-
    here_doc,     // << and <<-; the target is the text
    here_string,  // <<<
  };
  Kind kind = Kind::in;
  Word target;

  // Whether it may create or change a file. /dev/null and the standard streams are no files.
  bool writes() const;
  // Whether it opens a file to read.
  bool reads() const;
  // Whether it brings text of the script.
  bool is_text() const { return kind == Kind::here_doc || kind == Kind::here_string; }
  // Bash takes /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT for connections, also when a variable says
  // so.
  bool may_connect() const;
};

// A simple command. Without words it is what stands alone: assignments, the variable of a loop, the
// redirections of a compound command.
struct Command {
  std::vector<Word> words;
  std::vector<Assignment> assignments;
  std::vector<Redirection> redirections;
  std::uint32_t at = 0;
  // Its input comes from a pipe, or from whatever the commands around it are given.
  bool fed = false;

  // Whether it gets any input from the script: what a program reads may be what it runs.
  bool takes_input() const;
  bool names(std::string_view program) const {
    return !words.empty() && words[0].literal() && words[0].text == program;
  }
};

// Something that the parser does not know or cannot be sure about.
struct Unknown {
  std::string reason;
  std::uint32_t at = 0;
};

struct Script {
  std::vector<Command> commands;
  std::vector<std::string> functions;  // the names that it defines
  std::vector<Unknown> unknowns;
  bool malformed = false;   // no shell would run all of it
  bool bash_only = false;   // other shells take something in it differently
  bool only_simple = true;  // nothing but simple commands: none is compound, negated or left behind

  void doubt(std::string reason, std::uint32_t at);
};

}  // namespace helve::shell
