// What a whole patch comes to: every file read, every hunk placed, every contradiction found,
// before anything is written. All files are taken as they are before the patch, so two files can
// change names.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/apply.h"
#include "edit/patch.h"

namespace helve::edit {

struct PlannedFile {
  enum class Kind : unsigned char { add, update, remove, move, copy } kind;
  std::string path;
  std::string to = {};       // of a move or copy
  std::string content = {};  // afterwards; of all but a removal
  bool overwrites = false;   // there is a file where the content goes, and it is another one
  bool executable = false;   // a new file
  bool changed = true;       // false: a move or copy of the same content
  size_t added = 0;          // lines
  size_t removed = 0;
  Stage stage = Stage::exact;
  std::string note = {};
};

// The files as the plan may see them.
struct PlanFiles {
  // The same for every way to write the path of a file.
  std::function<std::string(std::string_view path)> name;
  // Nothing when there is no such file.
  std::function<Result<std::optional<std::string>>(const std::string& path)> read;
};

// In the order of the patch.
Result<std::vector<PlannedFile>> plan_patch(std::vector<FilePatch> patches, const PlanFiles& files);

}  // namespace helve::edit
