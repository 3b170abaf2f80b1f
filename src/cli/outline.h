// Outline: the whole command line as a list of places, each with the words and flags that may
// follow. Completion scripts and the man page are written from it.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flag_docs.h"

namespace helve::cli {

struct OutlinePlace {
  std::string path;  // "", "fs", "fs read", "doctor"
  std::string text;  // what stands there does, in full
  Rows words;        // that may follow, with a summary each
  std::vector<FlagDoc> positionals;
  std::vector<FlagDoc> flags;
  std::vector<std::string> examples;

  bool is_leaf() const { return words.empty(); }
};

struct Outline {
  std::vector<OutlinePlace> places;  // the root first, then groups with their tools, then commands
  std::vector<FlagDoc> globals;
};

Outline outline_of(const Program& program, const Registry& registry);

}  // namespace helve::cli
