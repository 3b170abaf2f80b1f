// The files that an index has left to search, as a source for grep: in place of a walk.
#pragma once

#include <string_view>

#include "search/grep.h"
#include "search/index_live.h"

namespace helve::search {

// `candidates` are paths below `root`; only those below `directory` ("" for all) are searched, and
// their paths are given from there. Heeds the globs, stop and deadline of the options; the other
// rules were heeded when the index was asked. Borrows root and candidates.
FileSource files_of(const sys::Fd& root, std::string_view directory, const AllToSearch& candidates);

}  // namespace helve::search
