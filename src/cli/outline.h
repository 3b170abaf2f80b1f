// Outline: the whole command line as a list of places, each with the words and flags that may
// follow. Completion scripts and the man page are written from it.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flag_docs.h"

namespace helve::cli {

struct OutlinePlace {
  std::string path;  // "", "fs", "fs read", "doctor", "help fs"
  std::string text;  // what it does, in full; empty for the root and for groups
  Rows words;        // that may follow, with a summary each
  std::vector<FlagDoc> positionals;
  std::vector<FlagDoc> flags;
  std::vector<std::string> examples;

  bool is_leaf() const { return words.empty(); }
};

struct Outline {
  // The root first, then groups with their tools, then commands, then groups as topics of help.
  std::vector<OutlinePlace> places;
  std::vector<FlagDoc> globals;
};

Outline outline_of(const Program& program, const Registry& registry);

}  // namespace helve::cli
