// Files of the workspace as the documents that are kept of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/documents.h"
#include "tool/context.h"
#include "workspace/workspace.h"

namespace helve::tools {

constexpr size_t kMaxTakenIn = 100'000;  // files of one call

// Whether several workspaces keep their documents together: then a source has its absolute path.
bool is_shared(const Context& context);

// What a file becomes: text stays byte for byte, other kinds are converted.
struct Intake {
  std::string content;
  std::string mime_type;
  store::Source source;
};
Result<Intake> take_in(const workspace::Workspace& files, const std::string& path,
                       const Context& context);

// The files that a path means: itself, those below it, or those that match it as a glob. What is
// hidden or ignored is left out of the latter two.
struct FileChoice {
  std::string base;                // what they lie below; empty for a single file
  std::vector<std::string> paths;  // below the base, sorted
  std::vector<std::string> notes;
};
Result<FileChoice> choose_files(const workspace::Workspace& files, const std::string& source,
                                Context& context);

}  // namespace helve::tools
