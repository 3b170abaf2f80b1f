// Where hunks belong in a file: by what their lines say, in stages as in edit/fold.h; then by
// their order, the lines named after @@ and line numbers. A hunk that fits several places equally
// well is an error, not a guess.
#pragma once

#include <span>
#include <vector>

#include "edit/fold.h"
#include "edit/indent.h"
#include "edit/lines.h"
#include "edit/patch.h"

namespace helve::edit {

struct Placed {
  size_t line = 0;  // of the file, from 0, where the hunk's first common or removed line is
  Stage stage = Stage::exact;
  size_t matched = 0;  // common and removed lines; one less when an empty last one was ignored
  Shift shift = {};    // how much further in the file's lines are than the hunk's
};

// One for each hunk. `path` is for the errors.
Result<std::vector<Placed>> place_hunks(const LineIndex& file, std::span<const Hunk> hunks,
                                        std::string_view path);

}  // namespace helve::edit
