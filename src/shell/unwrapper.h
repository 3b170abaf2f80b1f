// Unwrapper: goes through the commands of a script and finds those that they run in turn. Used by
// unwrap.cc only.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/options.h"
#include "shell/unwrap.h"

namespace helve::shell {

inline bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Unwrapper {
 public:
  explicit Unwrapper(Analysis& analysis) : analysis_(analysis) {}

  // The commands of a script, run by `parent`.
  void add_script(Script script, size_t parent, size_t depth);

 private:
  // One command that is being looked at. Indices, because the list of segments grows meanwhile.
  struct Spot {
    size_t segment;
    size_t depth;
  };
  using Words = std::span<const Word>;

  const Command& command(Spot spot) const { return analysis_.segments[spot.segment].command; }
  Words words(Spot spot) const { return command(spot).words; }
  void doubt(Spot spot, std::string_view reason);

  void add(Command command, size_t parent, size_t depth);
  void check_environment(Spot spot);
  void look(Spot spot, std::string_view name);
  // What `spot` runs: its words from `from` on.
  void runs_words(Spot spot, size_t from, bool transparent);
  void runs(Spot spot, Command inner, size_t from, bool transparent);
  // What `spot` runs: the text of its word `at`, read by a shell.
  void runs_text(Spot spot, size_t at, std::string_view text, bool transparent, bool posix);
  void pass_on(Spot spot, Command& inner) const;
  // It runs something, but what is not found.
  void runs_unseen(Spot spot, std::string_view reason);
  void mark(Spot spot, size_t inner, bool transparent);

  // unwrap.cc
  bool plain_wrapper(Spot spot, std::string_view name);

  // unwrap_shells.cc: shells and the builtins that read scripts.
  bool shell_wrapper(Spot spot, std::string_view name);
  void shell_program(Spot spot, std::string_view name);
  void shell_without_script(Spot spot, size_t operand, bool posix);
  void eval(Spot spot);
  void trap(Spot spot);
  void alias(Spot spot);

  // unwrap_programs.cc: programs that run others among other things.
  bool running_program(Spot spot, std::string_view name);
  void env(Spot spot);
  void xargs(Spot spot);
  void find(Spot spot);
  void fd(Spot spot);
  void git(Spot spot);

  // unwrap_builtins.cc: builtins that change what later commands mean.
  bool changing_builtin(Spot spot, std::string_view name);
  void declare(Spot spot, std::string_view name);
  bool expands_again(const Word& word, size_t equals, bool array) const;
  void set(Spot spot);
  void names_variables(Spot spot, size_t from);

  Analysis& analysis_;
  std::vector<std::string> shadowed_;  // functions and aliases that the script defines
  std::vector<std::string> arrays_;    // that the script makes
  std::vector<Assignment> exported_;
};

}  // namespace helve::shell
