// Unwrapper: goes through the commands of a script and finds those that they run in turn. Used by
// unwrap.cc only.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
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

size_t bytes_of(const Assignment& assignment);

class Unwrapper {
 public:
  explicit Unwrapper(Analysis& analysis) : analysis_(analysis) {}

  // Where a command stands: which segment runs it, how many are around it, and which shell.
  struct Place {
    size_t parent = Segment::kNone;
    size_t depth = 0;
    Reader reader = Reader::any_shell;
  };
  void add_script(Script script, Place place);

 private:
  // One command that is being looked at. Indices, because the list of segments grows meanwhile.
  struct Spot {
    size_t segment;
    size_t depth;
    Reader reader;  // of the script that it stands in
  };
  using Words = std::span<const Word>;

  const Command& command(Spot spot) const { return analysis_.segments[spot.segment].command; }
  Words words(Spot spot) const { return command(spot).words; }
  void doubt(Spot spot, std::string_view reason);

  void add(Command command, Place place);
  void check_environment(Spot spot);
  bool is_exported(std::string_view name) const;
  void add_exported(Spot spot, std::vector<Assignment> found);
  void look(Spot spot, std::string_view name);
  // What `spot` runs: its words from `from` on.
  void runs_words(Spot spot, size_t from, bool transparent);
  void runs(Spot spot, Command inner, size_t from, bool transparent);
  // What `spot` runs: the text of its word `at`, read by a shell.
  void runs_text(Spot spot, size_t at, std::string_view text, bool transparent, Reader reader);
  void pass_on(Spot spot, Command& inner);
  // Whether this much more may be copied for commands that others run.
  bool affords(Spot spot, size_t bytes);
  // It runs something, but what is not found.
  void runs_unseen(Spot spot, std::string_view reason);
  void mark(Spot spot, size_t inner, bool transparent);

  // unwrap.cc
  bool plain_wrapper(Spot spot, std::string_view name);

  // unwrap_shells.cc: shells and the builtins that read scripts.
  bool shell_wrapper(Spot spot, std::string_view name);
  void shell_program(Spot spot, std::string_view name);
  void shell_without_script(Spot spot, size_t operand, Reader reader);
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
  void awk(Spot spot);
  bool running_option(Spot spot, std::string_view name);

  // unwrap_builtins.cc: builtins that change what later commands mean.
  bool changing_builtin(Spot spot, std::string_view name);
  void declare(Spot spot, std::string_view name);
  void set(Spot spot);
  void test(Spot spot);
  void formatted_print(Spot spot);
  void wait(Spot spot);
  void names_variables(Spot spot, size_t from);

  Analysis& analysis_;
  std::set<std::string, std::less<>> shadowed_;  // functions and aliases that the script defines
  std::vector<Assignment> exported_;
  size_t exported_bytes_ = 0;
  size_t copied_ = 0;  // bytes, see affords()
};

}  // namespace helve::shell
