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
  } kind = Kind::absent;
  const Record* record = nullptr;  // written, kept, moved: who tells
  size_t index = 0;
  std::string from = {};

  const Record::File& file() const { return record->files[index]; }
};

struct NetChange {
  PathState before;
  PathState after;
  bool only_replaced = true;  // so that it is still the same file but for its content
};

// By absolute path. The records come newest first and must outlive the answer. Fails when a
// directory was moved or removed and something in it was changed by another of them.
enum class UndoneFiles : bool { count, are_skipped };
Result<std::map<std::string, NetChange>> net_of(std::span<const Loaded* const> changes,
                                                UndoneFiles undone);

}  // namespace helve::workspace
