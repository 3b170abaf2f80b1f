// Files of the workspace as the documents that are kept of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/documents.h"
#include "tool/context.h"
#include "tools/files.h"
#include "workspace/workspace.h"

namespace helve::tools {

constexpr size_t kMaxTakenIn = 100'000;  // files of one call

// Whether several workspaces keep their documents together: then a source has its absolute path.
bool is_shared(const Context& context);

// What a file becomes: text stays byte for byte, unless its units are wider than a byte; that and
// other kinds are converted.
struct Intake {
  std::string content;
  std::string mime_type;
  store::Source source;
  std::vector<std::string> notes = {};  // what the conversion left out or changed
  bool is_cut = false;                  // some of the text is missing
};
Result<Intake> take_in(const workspace::Workspace& files, const std::string& path,
                       const Context& context);

// The same of what comes from elsewhere: pages, notebooks and PDFs are known by the path of the
// document or by their first bytes. What cannot be converted stays as it is, and a note says why.
bool is_converted_kind(std::string_view start, std::string_view path);
struct Text {
  std::string content;
  std::string mime_type;
  std::vector<std::string> notes = {};
  bool is_cut = false;
};
Text take_in_text(std::string content, const std::string& path, const Context& context);

// What is told of many files together, the first hundred notes of them.
class FileNotes {
 public:
  void add(std::string_view path, const std::vector<std::string>& notes);
  // Behind those that are there.
  void append_to(Notes& out) const;

 private:
  std::vector<std::string> told_;
  size_t more_ = 0;
};

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
