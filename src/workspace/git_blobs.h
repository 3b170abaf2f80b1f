// Contents out of a git repository, by git itself: it runs neither hooks nor filters nor other
// programs of the repository's configuration, and reaches no network.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/program.h"
#include "workspace/record.h"

namespace helve::workspace {

// Where git is not taken from: what commands can write to. `directory` is the repository, absolute.
// Errors: there is no other git, it cannot be run, or all together have more than `limit` bytes.
// By name, those that are there, and are what their names say.
using Blobs = std::map<std::string, std::string>;
Result<Blobs> read_blobs(const std::string& directory, const std::vector<std::string>& blobs,
                         std::uint64_t limit, const sys::Writable& writable);
// Only how large they are, of those that are there.
using BlobSizes = std::map<std::string, std::uint64_t>;
Result<BlobSizes> blob_sizes(const std::string& directory, const std::vector<std::string>& blobs,
                             const sys::Writable& writable);

// What a file was before a command changed it. Errors: not_kept.
Result<std::string> read_blob(const Record::File& file, const sys::Writable& writable);
// The same of content that was read before. Filters may make a file of another size out of what git
// keeps; then that is not what was there.
Result<std::string> checked_blob(const Record::File& file, std::string content);

}  // namespace helve::workspace
