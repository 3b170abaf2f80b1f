// Contents out of a git repository, by git itself: it runs neither hooks nor filters nor other
// programs of the repository's configuration, and reaches no network.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "workspace/record.h"

namespace helve::workspace {

// By name, those that are there. `directory` is the repository, absolute. Errors: git cannot be
// run, or all together have more than `limit` bytes.
Result<std::map<std::string, std::string>> read_blobs(const std::string& directory,
                                                      const std::vector<std::string>& blobs,
                                                      std::uint64_t limit);

// What a file was before a command changed it. Errors: not_kept.
Result<std::string> read_blob(const Record::File& file);
// The same of content that was read before. Filters may make a file of another size out of what git
// keeps; then that is not what was there.
Result<std::string> checked_blob(const Record::File& file, std::string content);

}  // namespace helve::workspace
