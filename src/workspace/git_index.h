// The index of a git repository, read without git: which content a file had that git knew to be
// unchanged. Formats 2, 3 and 4; of another one nothing is known.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sys/file_at.h"

namespace helve::workspace {

struct IndexEntry {
  std::string blob;  // 40 hexadecimal digits
  std::int64_t changed_ns = 0;
  std::int64_t modified_ns = 0;
  // As git has them: cut to 32 bits.
  std::uint32_t inode = 0;
  std::uint32_t mode = 0;
  std::uint32_t size = 0;

  // Whether a file with this status has the content of the blob. What was changed in the moment
  // when the index was written, or after it, git itself would have to read.
  bool tells(const sys::FileStatus& status, std::int64_t index_modified_ns) const;
};

// Those of these paths, which begin where the working tree does, that are plain files. Nothing at
// all when the text is not what git writes.
std::map<std::string, IndexEntry> index_entries(std::string_view index,
                                                const std::set<std::string>& wanted);

}  // namespace helve::workspace
