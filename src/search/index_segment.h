// Segment: a part of the index as it lies on disk, mapped. Nobody changes it; its tables are
// checked when it is opened and each list when it is read, so that a damaged file is noticed, not
// believed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/gram.h"
#include "search/index_format.h"
#include "sys/mapped_file.h"

namespace helve::search {

// The documents of one gram.
class Postings {
 public:
  Postings(std::string_view bytes, std::uint32_t count, bool is_dense, Doc doc_count)
      : bytes_(bytes), count_(count), is_dense_(is_dense), doc_count_(doc_count) {}

  std::uint32_t count() const { return count_; }
  // In ascending order.
  std::vector<Doc> docs() const;
  // Takes those out of the ascending `docs` that are not among these.
  void keep_common(std::vector<Doc>& docs) const;

 private:
  template <class Visit>
  void for_each(Visit visit) const;

  std::string_view bytes_;
  std::uint32_t count_;
  bool is_dense_;
  Doc doc_count_;
};

class Segment {
 public:
  // `damaged_index` when it is not a whole segment of this version.
  static Result<std::shared_ptr<const Segment>> open(const sys::Fd& directory,
                                                     std::string_view name);

  std::uint32_t file_count() const { return header_->file_count; }
  Doc doc_count() const { return header_->doc_count; }
  std::uint64_t text_bytes() const { return header_->text_bytes; }
  std::uint64_t bytes() const { return file_.bytes().size(); }

  std::string_view path(std::uint32_t file) const {
    const FileRecord& record = files()[file];
    return {section<char>(Section::paths).data() + record.path_at, record.path_size};
  }
  const FileStamp& stamp(std::uint32_t file) const { return files()[file].stamp; }
  std::uint32_t flags(std::uint32_t file) const { return files()[file].flags; }
  Doc first_doc(std::uint32_t file) const { return files()[file].first_doc; }
  Doc end_doc(std::uint32_t file) const { return files()[file + 1].first_doc; }
  const DocRecord& doc(Doc doc) const { return docs()[doc]; }
  std::uint32_t file_of(Doc doc) const;

  // The files without documents, which may hold anything.
  std::span<const std::uint32_t> unindexed_files() const { return unindexed_; }

  // The files below the directory, which stand together.
  struct Range {
    std::uint32_t first = 0, end = 0;
  };
  Range below(std::string_view directory) const;

  std::optional<std::uint32_t> find(std::string_view path) const;
  // The list of a gram, by its number; nothing when no document has the gram.
  struct List {
    std::uint32_t number = 0;
    std::uint32_t count = 0;  // of documents
  };
  std::optional<List> list(Gram gram) const;
  // `damaged_index` when the list is not what was written.
  Result<Postings> postings(const List& list) const;

 private:
  explicit Segment(sys::MappedFile file) : file_(std::move(file)) {}
  Result<void> check(std::string_view name);

  template <class T>
  std::span<const T> section(Section which) const {
    const std::uint64_t* bounds = &header_->sections[static_cast<size_t>(which)];
    return {reinterpret_cast<const T*>(file_.bytes().data() + bounds[0]),
            (bounds[1] - bounds[0]) / sizeof(T)};
  }
  std::span<const FileRecord> files() const { return section<FileRecord>(Section::files); }
  std::span<const DocRecord> docs() const { return section<DocRecord>(Section::docs); }

  sys::MappedFile file_;
  const SegmentHeader* header_ = nullptr;
  std::vector<std::uint32_t> unindexed_;
};

}  // namespace helve::search
