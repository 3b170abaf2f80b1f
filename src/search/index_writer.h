// SegmentWriter: writes a segment from beginning to end, holding no more of it in memory than its
// tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/gram.h"
#include "search/index_format.h"
#include "sys/file_at.h"

namespace helve::search {

class SegmentWriter {
 public:
  // Writes to `file`, which is empty; `doc_count` documents will be named.
  SegmentWriter(const sys::Fd& file, Doc doc_count);

  // Grams come in ascending order, and so do the documents of each.
  sys::OrErrno<void> add(Gram gram, std::span<const Doc> docs);
  // Paths come in the order of path_less, as many as `files` has entries; what the records say
  // about paths is filled in here. `docs` has as many entries as were announced.
  sys::OrErrno<void> finish(std::span<const std::string> paths, std::vector<FileRecord> files,
                            std::span<const DocRecord> docs);

 private:
  void encode(std::span<const Doc> docs);
  sys::OrErrno<void> flush();
  template <class T>
  void append_table(Section section, std::span<const T> values);

  const sys::Fd& file_;
  SegmentHeader header_;
  std::string list_;     // of the gram that is being added
  std::string waiting_;  // to be written
  std::uint64_t postings_bytes_ = 0;
  std::string tables_;
  std::vector<Gram> grams_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> checks_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace helve::search
