// Trees: directories with all they hold, by descriptor; links are never followed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sys/file_at.h"

namespace helve::workspace {

constexpr int kMaxTreeDepth = 256;

struct TreeEntry {
  const sys::Fd& directory;  // that holds it
  std::string_view name;
  std::string_view path;  // below the directory where the walk began
  sys::FileKind kind;
};

// Visits what the directory holds, a directory before what is in it, until `visit` returns false.
// Fails with filename_too_long when it is deeper than kMaxTreeDepth.
sys::OrErrno<void> walk_tree(const sys::Fd& directory,
                             const std::function<bool(const TreeEntry&)>& visit);

// What tells a directory and all it holds apart from another: names, kinds, modes, where links
// lead, sizes and times of files; `itself`: also which files these are, and when anything of them
// was changed, which a copy does not have. Fails with file_too_large when that has more than
// `limit` bytes.
enum class OutlineOf : bool { any_copy, itself };
sys::OrErrno<std::string> outline_of(const sys::Fd& directory, std::uint64_t limit,
                                     OutlineOf what = OutlineOf::any_copy);

// Removes the file, link or whole directory of that name.
sys::OrErrno<void> remove_tree_at(const sys::Fd& directory, const std::string& name);

// Gives a file or directory another name, never over another. Where the file system cannot promise
// that, the look just before is the best there is.
sys::OrErrno<void> rename_new(const sys::Fd& from, std::string_view name, const sys::Fd& to,
                              std::string_view new_name);

}  // namespace helve::workspace
