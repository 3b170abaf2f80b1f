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

// The same of what comes from elsewhere: pages, notebooks and PDFs are known by the path of the
// document or by their first bytes. What cannot be converted stays as it is, and a note says why.
bool is_converted_kind(std::string_view start, std::string_view path);
struct Text {
  std::string content;
  std::string mime_type;
  std::string note;  // empty: there is nothing to say
};
Text take_in_text(std::string content, const std::string& path, const Context& context);

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
