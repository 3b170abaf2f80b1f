// analyze: what a script really runs. Behind `env`, `sudo`, `xargs`, `bash -c`, `find -exec` and
// their like stands another command; it is found and judged as well.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/script.h"

namespace helve::shell {

// Commands that run each other, before the rest is unknown.
constexpr size_t kMaxWrapping = 16;
// Bytes that are copied for the commands that others run: their words, environment and files.
constexpr size_t kMaxCopied = 32u << 20;

struct Segment {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A command with all that is known of its environment: what `env` and `export` set counts as
  // its assignments.
  Command command;
  size_t parent = kNone;  // the segment that runs it
  // The word in which the last command begins that this one runs. When that is not found, but there
  // may be one, the last word.
  size_t inner = kNone;
  // Does nothing but run what was found: `timeout 5 make` needs no more than `make` does.
  bool transparent = false;
  // Later commands get what it sets: variables that some program may look at, or their input.
  bool exports = false;
};

struct Analysis {
  std::vector<Segment> segments;  // each after the one that runs it
  std::vector<Unknown> unknowns;
  bool malformed = false;
  bool goes = false;   // to another directory, on the way
  bool moves = false;  // the same, or it starts in another one
  bool stays = false;  // what it exports is there for later scripts, too
};

// Who runs the script. Other shells take some of what bash takes for something else: to them
// `a &>b c` runs c, and `[[ a && b ]]` runs b.
enum class Reader : unsigned char { any_shell, bash };

// For any shell, what only bash takes so is unknown.
Analysis analyze(std::string_view script, Reader reader = Reader::any_shell);

// The words of a script that is one simple command and nothing else: what its program would be
// given, whatever the shell knows. Nothing when there is more to it, or a word varies.
std::optional<std::vector<std::string>> literal_words(std::string_view script,
                                                      Reader reader = Reader::any_shell);

// The name under which a program is known, when the word surely names one that the system has:
// `ls` and `/usr/bin/ls` are "ls", ./ls is nothing.
std::string_view program_of(const Word& word);

}  // namespace helve::shell
