// Patches: what they say, whatever their form. Three forms are read: the envelope
// (*** Begin Patch), unified diffs as git and diff write them, and hunks for one named file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::edit {

constexpr size_t kMaxPatchFiles = 2000;
constexpr std::string_view kModeIsLeft = "the file's mode was left as it is";  // a note

struct HunkLine {
  enum class Kind : char { common = ' ', removed = '-', added = '+' } kind;
  std::string_view text;  // of the patch, without the newline
  bool open_end = false;  // "\ No newline at end of file" follows it
};

struct Hunk {
  std::vector<std::string_view> anchors;  // lines to find first, one after the other
  std::vector<HunkLine> lines;
  size_t old_line = 0;    // where it says it belongs, from 1; valid when numbered
  bool numbered = false;  // has "-12,3 +12,4"
  bool at_end = false;    // its last line is the file's last
  size_t patch_line = 0;  // where it stands in the patch, from 1
};

struct FilePatch {
  enum class Kind : unsigned char { add, update, remove } kind = Kind::update;
  std::string path;
  std::string to = {};           // an update that moves or copies the file; else empty
  bool copies = false;           // leaves the file at `path` as it is
  bool replaces = true;          // an add may overwrite
  bool executable = false;       // a new file
  std::vector<Hunk> hunks = {};  // of an update; of a removal, the lines that must be there
  size_t patch_line = 0;
  std::string note = {};  // what the patch asks for and does not happen
};

// `path` names the file of hunks that name none; may be empty. The patch must outlive the result.
Result<std::vector<FilePatch>> parse_patch(std::string_view patch, std::string_view path = {});

}  // namespace helve::edit
