// Archives of documents: JSON Lines, one for each version, the versions of a document together and
// in order. Each line says how many there are, so that a document of which one is missing is known
// not to be whole; the last line of the last part says how many lines and parts there are in all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/documents.h"

namespace helve::tools {

// A part of an archive is a file of the workspace.
constexpr size_t kMaxArchiveFile = 60u << 20;  // bytes
// Bytes of a version: as Base64, and with what is told of it, it fits into a part.
constexpr size_t kMaxArchivedVersion = 44u << 20;
// Bytes of all versions of a document: whoever reads them keeps these in memory until it is whole.
// Of more, the oldest are left out.
constexpr size_t kMaxArchivedDocument = 512u << 20;

struct ArchiveLine {
  store::DocumentVersion version;
  std::string content;
  size_t versions = 1;  // of its document, in the archive
};

// Of some versions, the newest first, those that an archive holds; why it does not hold the others.
struct Archived {
  std::vector<store::DocumentVersion> versions;
  std::vector<std::string> left_out;
};
Archived archived_of(std::vector<store::DocumentVersion> versions);

std::string archive_header();  // the first line of each part
Result<void> check_header(std::string_view line);

struct ArchiveEnd {
  std::int64_t documents = 0;
  std::int64_t versions = 0;  // lines
  std::int64_t parts = 0;
};
std::string end_line(const ArchiveEnd& end);
// Nothing when it is another line.
std::optional<ArchiveEnd> end_in(std::string_view line);

std::string to_line(const ArchiveLine& line);
// An error says what is wrong: not whole, changed since it was written, no path.
Result<ArchiveLine> from_line(std::string_view line);

}  // namespace helve::tools
