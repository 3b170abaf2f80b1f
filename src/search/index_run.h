// Runs: the grams of some documents, sorted, waiting in a file to be merged into a segment.
#pragma once

#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "search/gram.h"
#include "search/index_format.h"
#include "search/index_writer.h"

namespace helve::search {

constexpr size_t kRunDocs = 256;  // so that a document has one byte within its run

// Collects one run after another. Not for two threads.
class RunMaker {
 public:
  bool is_full() const { return docs_ == kRunDocs; }
  bool is_empty() const { return docs_ == 0; }
  void add_document(std::string_view text);
  // The run as bytes: for each gram its distance from the one before, how many documents have it,
  // and those. Ready for the next run then.
  std::string take();
  size_t docs() const { return docs_; }

 private:
  void sort();

  GramSet grams_;
  size_t docs_ = 0;
  std::vector<std::uint32_t> pairs_;  // gram, then document
  std::vector<std::uint32_t> spare_;
};

// Where a run lies in the file of runs, and the number of its first document.
struct Run {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  Doc first_doc = 0;
};

// Merges runs, in ascending order of their documents, into a segment.
sys::OrErrno<void> merge(std::string_view file_of_runs, std::span<const Run> runs,
                         SegmentWriter& writer, const std::stop_token& stop);

}  // namespace helve::search
