// How a segment of the index lies on disk: numbers in the byte order of the machines we build for,
// sections aligned so that they are used where they are mapped.
//
// A file is cut into documents of whole lines; a document is what a gram's list names. So a search
// reads 64 KB of a large file and not all of it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "sys/file_at.h"

namespace helve::search {

static_assert(std::endian::native == std::endian::little);

using Doc = std::uint32_t;

constexpr std::string_view kSegmentMagic = "helveidx";
constexpr std::uint32_t kSegmentVersion = 2;
constexpr size_t kDocumentBytes = 64 * 1024;          // at least; up to the end of the line
constexpr std::uint64_t kMaxIndexedFile = 64u << 20;  // larger ones are always searched

// What a file was when its content was read. While it is still the same, so is the content.
struct FileStamp {
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};
// Of a file whose changes cannot all be told. No file has it.
constexpr FileStamp kNeverFresh{.size = ~std::uint64_t{0}};
// A file with several names can be changed by one that nobody watches.
inline FileStamp stamp_of(const sys::FileStatus& status) {
  if (status.links > 1) return kNeverFresh;
  return {status.size, status.inode, status.modified_ns, status.changed_ns};
}
// Of a file whose content is about to be read; kNeverFresh when it changed so shortly before that
// the next change might bear the same time. File times tick in steps of milliseconds, on some file
// systems of two seconds. Only the time of the change counts: anybody may set the other one, also
// to a time that is yet to come.
inline FileStamp stamp_before_reading(const sys::FileStatus& status, std::int64_t now_ms) {
  constexpr std::int64_t kSecond = 1'000'000'000, kTick = kSecond / 50,
                         kCoarseTick = 21 * kSecond / 10;
  const bool is_coarse = status.changed_ns % kSecond == 0;
  if (status.changed_ns + (is_coarse ? kCoarseTick : kTick) > now_ms * 1'000'000)
    return kNeverFresh;
  return stamp_of(status);
}

struct FileRecord {
  std::uint64_t path_at = 0;  // in the section of paths
  std::uint32_t path_size = 0;
  Doc first_doc = 0;  // the next record's is the end; there is one record more than files
  FileStamp stamp;
  std::uint32_t flags = 0;
  std::uint32_t unused = 0;
};
// The documents do not tell where a line of the file is: it is searched as a whole (it is not plain
// text), or it has no documents at all (it is too large).
constexpr std::uint32_t kSearchWhole = 1;
constexpr std::uint32_t kNotIndexed = 2;

struct DocRecord {
  std::uint64_t offset = 0;  // in the file
  std::uint32_t lines = 0;   // newlines in the document
  std::uint32_t unused = 0;
};

enum class Section : unsigned char {
  postings,
  grams,    // Gram[], ascending
  counts,   // uint32_t[]: documents of the gram; kDense says how its list is written
  checks,   // uint32_t[]: hashes of the lists
  offsets,  // uint64_t[]: where a list begins in `postings`; one more than grams
  files,    // FileRecord[], in the order of their paths; one more than files
  docs,     // DocRecord[]
  buckets,  // uint32_t[]: a hash table of paths; file number plus one
  paths,    // one after the other
};
constexpr size_t kSections = 9;
// The list is a bitmap of all documents; otherwise the gaps between them as variable-length
// numbers.
constexpr std::uint32_t kDense = 1u << 31;

struct SegmentHeader {
  std::array<char, 8> magic = {};
  std::uint32_t version = 0;
  std::uint32_t gram_count = 0;
  std::uint32_t file_count = 0;
  std::uint32_t doc_count = 0;
  std::array<std::uint64_t, kSections + 1> sections = {};  // where each begins; the end
  std::uint64_t tables_hash = 0;                           // of all sections after the postings
  std::uint64_t text_bytes = 0;                            // of the files, for people
  std::uint64_t header_hash = 0;                           // of all before
};

}  // namespace helve::search
