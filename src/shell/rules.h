// Rules: which commands may run, which need a person, and which never run. A script is judged by
// all that it runs: one part that is denied denies it, one that asks makes it ask.
//
// A pattern is written as the command is, with the quotes of a shell: `git commit -m 'a b'`.
// - A word stands for the same word. Unquoted, * stands for any characters, ? for one.
// - A last word that is nothing but * stands for any further words, also none.
// - The name of a program also stands for that program in /bin, /usr/bin, /sbin and /usr/sbin; in a
//   rule that denies or asks, in any directory.
//
// A rule that denies or asks is taken broadly. A word that is known only when the script runs may
// be what the rule names: then a person is asked.
//
// A rule that allows is taken narrowly. It allows nothing that is not written in the script:
// - No word that varies ($x, $(…), *.c), not even for *.
// - In a word, * and ? stand for no /, ** does; none of them stands for a - at the beginning, nor
//   for the name . or .. in a path.
// - The last * stands for no command that another one runs (`sudo *` allows nothing; `sudo ls *`
//   does), and for no word that makes a program do more than it does otherwise (`sort *` does not
//   allow --output=x, `sort --output=* *` does; see effect.h).
// - Output into files only where the rule names it: `make * > build/*.log`. Nothing is needed for
//   /dev/null and for other descriptors.
// - For a program that is not known, input from the script (<, <<, a pipe) only where the rule
// names
//   the file or ends in *: it may run what it reads.
// - A changed environment only where the rule names it: `NODE_PATH=lib node *`. Language, colours
//   and the time zone need not be named.
// What only runs another command (`timeout 5 make`, `env make`, `bash -c make`) is allowed when
// that command is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "shell/describe.h"
#include "shell/unwrap.h"

namespace helve::shell {

constexpr size_t kMaxRules = 2000;
constexpr size_t kMaxPattern = 8192;  // bytes
// Commands of a script times rules. Beyond that a person is asked: comparing would take seconds.
constexpr size_t kMaxComparisons = 500'000;
constexpr size_t kMaxNarrowest = 100;  // rules for one script
// The type of the error when a command runs what it reads, for all that is known.
constexpr std::string_view kTakesInput = "takes_input";

enum class Verdict : unsigned char { allow, ask, deny };  // in the order of their strength
std::string_view name_of(Verdict verdict);

struct Rule {
  std::string pattern;
  Verdict verdict = Verdict::ask;
  std::string reason = {};  // is shown to whoever is refused or asked
  // Commands that the rule must decide, or must not. They are tried when the rules are loaded.
  std::vector<std::string> match = {};
  std::vector<std::string> not_match = {};
};

// What a pattern says, read once.
struct Pattern {
  Command command;
  bool more = false;  // ends in *
};

// Immutable after make; any thread may use it.
class Rules {
 public:
  // A pattern that cannot be read and an example that disagrees with its rule are errors that name
  // them. `reader` runs the examples.
  static Result<Rules> make(std::vector<Rule> rules, Reader reader = Reader::any_shell);

  bool empty() const { return rules_.empty(); }
  size_t size() const { return rules_.size(); }
  const Rule& operator[](size_t index) const { return rules_[index]; }
  const Pattern& pattern(size_t index) const { return patterns_[index]; }

 private:
  std::vector<Rule> rules_;
  std::vector<Pattern> patterns_;
};

struct Decision {
  Verdict verdict = Verdict::allow;
  std::string reason;             // one sentence, safe to show
  std::string segment = {};       // the command that decided, safe to show
  std::optional<size_t> rule;     // the rule that decided
  bool is_beyond_bounds = false;  // the rules were not tried
};

// What needs no rule.
enum class Exempt : unsigned char {
  // Where a command leaves the sandbox: known values, exports and wrappers, beside at least one
  // command that a rule allows. What it reads by < must be named.
  least,
  harmless,  // whatever runs nothing
  reading,   // and what only reads
};

// For a command that no rule names and that is not exempt.
struct Otherwise {
  Otherwise(Verdict verdict, Exempt exempt = Exempt::harmless) : verdict(verdict), exempt(exempt) {}
  Verdict verdict;
  Exempt exempt;
};

// What is unknown asks, whatever the rules allow.
Decision decide(const Analysis& script, const Rules& rules, Otherwise otherwise);
Decision decide(std::string_view script, const Rules& rules, Otherwise otherwise);

// The rules that allow exactly what this script runs, `present` does not allow yet and is not
// exempt; an error that says why, when no rules can.
Result<std::vector<Rule>> narrowest_rules(const Analysis& script, const Rules& present,
                                          Exempt exempt = Exempt::harmless);
Result<std::vector<Rule>> narrowest_rules(std::string_view script, const Rules& present,
                                          Exempt exempt = Exempt::harmless);

}  // namespace helve::shell
