// Sources: where the files lie that a model is told of. Those of a workspace are reached
// through it, so no link leads out; the user's own lie in the config directory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/file_descriptor.h"
#include "workspace/workspace.h"

namespace helve::guidance {

// Paths are relative to where it lies. Borrows what it was made of.
struct Source {
  std::string shown_above;  // what paths are shown after
  std::function<Result<sys::Fd>(const std::string&)> open_file, open_directory;
};
Source workspace_source(const workspace::Workspace& files);
// A file that others could have written is refused.
Source own_source(const std::string& directory);

// The beginning of a file, as lines that are safe to show: what is not UTF-8, and what cannot be
// seen, is spelt out.
struct Excerpt {
  std::string path;  // as it is shown
  std::string text;
  std::uint64_t size = 0;  // of the file
  bool is_cut = false;
};

// Nothing when there is no such file.
Result<std::optional<Excerpt>> read_excerpt(const Source& source, const std::string& path,
                                            size_t bytes);
// All of a regular file.
Result<std::string> read_whole(const Source& source, const std::string& path, size_t limit);
constexpr size_t kMaxEntries = 100'000;  // of one directory that are looked at

// Names in a directory, sorted.
struct Names {
  std::vector<std::string> names;
  bool is_cut = false;  // there are more entries than are looked at

  // For people; only when it is cut.
  std::string note(std::string_view directory) const;
};
// Those that end so, but for hidden ones; nothing when there is no such directory.
Result<Names> names_in(const Source& source, const std::string& path, std::string_view ending = {},
                       size_t most = kMaxEntries);

}  // namespace helve::guidance
