// Copies of files, links and whole directories, with owner, mode, attributes and times: into the
// journal from another file system, and out of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sys/file_at.h"

namespace helve::workspace {

// To read a file, also when its mode forbids that even to its owner. For what is ours alone.
sys::OrErrno<sys::Fd> open_to_copy(const sys::Fd& from, std::string_view name,
                                   const sys::FileStatus& status);

// A file, or where a link leads, also when its mode forbids to read it.
struct FileContent {
  std::string text = {};
  std::uint32_t mode = 0;
  sys::FileKind kind = sys::FileKind::file;
};
sys::OrErrno<FileContent> read_kept(const sys::Fd& directory, std::string_view path,
                                    std::uint64_t limit);

// Whether the name is that of a copy that copy_into has not finished.
bool is_part(std::string_view name);

// What was begun stays when it fails.
sys::OrErrno<void> copy_tree(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as);

// Whole or not at all. The file, link or directory becomes `as` in another directory; what was
// begun before is replaced.
sys::OrErrno<void> copy_into(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as);

}  // namespace helve::workspace
