// A file that a tool is about to change: read as a whole, known not to have changed since the
// session saw it, and as UTF-8 whatever its encoding.
#pragma once

#include <optional>
#include <string>

#include "base/diff.h"
#include "edit/encoded.h"
#include "tools/files.h"
#include "workspace/change.h"

namespace helve::tools {

struct EditedFile {
  std::string path;   // as the caller named it
  std::string shown;  // as the workspace names it
  std::string text;
  std::optional<TextFormat> format;
  workspace::Version version;

  // What becomes of it with this text, to be shown.
  DiffSummary difference_to(const std::string& new_text) const;
  // The change that gives the file this text.
  Result<workspace::Change> becomes(std::string new_text) const;
};

// What to say of a file in which no text is found because it is none.
Error no_text(const std::string& shown, const Context& context);

Result<EditedFile> open_for_edit(const std::string& path, const Context& context,
                                 workspace::Workspace& files);

}  // namespace helve::tools
