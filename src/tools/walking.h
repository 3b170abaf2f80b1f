// What the tools that walk a tree share: where it begins, how paths are shown, what is said when
// something is missing from the answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/walk.h"
#include "tool/context.h"
#include "workspace/workspace.h"

namespace helve::tools {

enum class EntryType : unsigned char { file, directory, symlink, other };
EntryType type_of(sys::FileKind kind);

// "a/b" below the directory that is shown as `directory`, as other tools take it.
std::string shown_below(std::string_view directory, std::string_view path);

// The rules that leave out what matches one of the globs.
std::vector<std::string> excluding(const std::vector<std::string>& globs);

// The root that a directory lies in, and where in it; null when it lies in none.
struct InRoot {
  const workspace::Root* root = nullptr;
  std::string below = {};
};
InRoot root_of(const workspace::Workspace& files, const sys::Fd& directory);

// The directory to search; a file is an error that says so.
Result<sys::Fd> open_searched(const workspace::Workspace& files, const std::string& path,
                              const Context& context);

// Walks with the call's own deadline and stop. A walk that the deadline ended is a report that says
// so; one that was cancelled is an error.
Result<search::WalkReport> walk_for(Context& context, const sys::Fd& directory,
                                    std::string_view shown, search::WalkOptions options,
                                    const std::function<search::Visitor&()>& visitor);

// What is missing because of the deadline, or because it could not be read. Paths are below
// `shown`.
void add_notes(const search::WalkReport& report, std::string_view shown,
               std::vector<std::string>& notes);
// "2 names are not UTF-8: …"; nothing for 0.
void add_note_on_escaped(size_t count, std::vector<std::string>& notes);

}  // namespace helve::tools
