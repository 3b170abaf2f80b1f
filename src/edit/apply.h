// A file after the hunks of a patch, or after line patches.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/fold.h"
#include "edit/patch.h"

namespace helve::edit {

struct Patched {
  std::string content;
  size_t added = 0;  // lines
  size_t removed = 0;
  Stage stage = Stage::exact;  // the loosest that was needed
  bool changed = false;
};

// All hunks or none. Context lines stay as the file has them; added lines take the file's line
// ending and, where the context was indented otherwise, its indentation.
Result<Patched> apply_hunks(std::string content, std::span<const Hunk> hunks,
                            std::string_view path);

struct LinePatch {
  size_t start_line = 0;          // from 1
  size_t end_line = 0;            // inclusive; 0 inserts before start_line
  std::string_view content = {};  // "" deletes; a newline at its end changes nothing
};
// Line numbers are those of the content as given, for all of them.
Result<Patched> apply_line_patches(std::string content, std::span<const LinePatch> patches,
                                   std::string_view path);

}  // namespace helve::edit
