// Net: what several changes did together, path by path: what was there before the first and after
// the last of them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workspace/loader.h"

namespace helve::workspace {

// What a path holds, as far as the journal knows.
struct PathState {
  enum class Kind : unsigned char {
    absent,
    written,  // a file or link with the digest
    kept,     // what file `index` of `record` was before
    moved,    // what bears the name `from` after the changes; or, after them, what was moved here
    unknown,  // what was in a directory that made way for another
  } kind = Kind::absent;
  const Record* record = nullptr;  // written, kept, moved: who tells
  size_t index = 0;
  std::string from = {};
  std::string inside = {};  // kept: a path in the directory that was kept

  const Record::File& file() const { return record->files[index]; }
};

struct NetChange {
  PathState before;
  PathState after;
  bool only_replaced = true;  // so that it is still the same file but for its content and mode
  // What the changes that replaced it made of its mode.
  struct Modes {
    std::uint32_t before, after;
  };
  std::optional<Modes> modes = {};
};

// By absolute path. What a directory held goes with it: what is known of a path in it by itself
// counts there, and everything else in it as part of the directory.
using NetChanges = std::map<std::string, NetChange>;
// A directory that was moved, made or removed, and what was changed in it by another change. To
// take both back at once would need a certain order.
struct Entangled {
  std::string directory;
  std::string inside;
};
// Where two of the changes meet: what the older one left at a path, and what the newer one found
// there. When these differ, somebody else changed it in between.
struct Seam {
  std::string path;
  PathState left;   // as PathState after
  PathState found;  // as PathState before
  const Record* older;
};
struct Net {
  NetChanges changes;
  std::optional<Entangled> entangled = {};
  std::vector<Seam> seams = {};
};

// The records come newest first and must outlive the answer.
enum class UndoneFiles : bool { count, are_skipped };
Net net_of(std::span<const Loaded* const> changes, UndoneFiles undone);

}  // namespace helve::workspace
