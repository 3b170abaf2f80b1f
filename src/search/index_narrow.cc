#include "search/index_narrow.h"

#include <algorithm>
#include <numeric>

namespace helve::search {
namespace {

// A range of documents of one file, first and end.
struct Docs {
  Doc first = 0;
  Doc end = 0;
};

// The document with as many lines before and after it as asked for, as far as the file has them.
Docs widened(const Segment& segment, Doc doc, const Docs& file, const Around& around) {
  Docs docs{doc, doc + 1};
  for (std::uint64_t lines = 0; docs.first > file.first && lines < around.before;)
    lines += segment.doc(--docs.first).lines;
  for (std::uint64_t lines = 0; docs.end < file.end && lines < around.after;)
    lines += segment.doc(docs.end++).lines;
  return docs;
}

Part to_part(const Segment& segment, std::uint32_t file, const Docs& docs) {
  const std::uint64_t offset = segment.doc(docs.first).offset;
  const std::uint64_t end =
      docs.end == segment.end_doc(file) ? segment.stamp(file).size : segment.doc(docs.end).offset;
  Part part{.offset = offset, .size = end - offset};
  for (Doc doc = segment.first_doc(file); doc < docs.first; ++doc)
    part.lines_before += segment.doc(doc).lines;
  return part;
}

}  // namespace

Result<std::optional<Narrowed>> Narrowed::make(std::shared_ptr<const Segments> segments,
                                               const Required& required, Together together) {
  Narrowed narrowed(std::move(segments), together);
  bool is_narrower = false;
  for (size_t i = 0; i < narrowed.segments().size(); ++i) {
    narrowed.docs_.push_back(
        TRY(docs_that_may_satisfy(narrowed.segments()[i], required, together)));
    is_narrower |= narrowed.docs_.back().has_value();
  }
  if (!is_narrower) return std::optional<Narrowed>();
  return std::optional<Narrowed>(std::move(narrowed));
}

Look Narrowed::look(FileRef ref, const Around& around, std::vector<Part>& parts) const {
  parts.clear();
  const Segment& segment = segments_->segment_of(ref);
  if (!docs_[ref.segment] || segment.flags(ref.file) & kNotIndexed) return Look::at_all;
  const Docs file{segment.first_doc(ref.file), segment.end_doc(ref.file)};
  const std::vector<Doc>& docs = *docs_[ref.segment];
  auto doc = std::ranges::lower_bound(docs, file.first);
  if (doc == docs.end() || *doc >= file.end) return Look::nowhere;
  if (together_ == Together::in_a_file || segment.flags(ref.file) & kSearchWhole ||
      file.end - file.first == 1)
    return Look::at_all;
  Docs range = widened(segment, *doc, file, around);
  for (++doc; doc != docs.end() && *doc < file.end; ++doc) {
    const Docs next = widened(segment, *doc, file, around);
    if (next.first > range.end)
      parts.push_back(to_part(segment, ref.file, std::exchange(range, next)));
    range.end = next.end;
  }
  parts.push_back(to_part(segment, ref.file, range));
  return Look::at_parts;
}

std::vector<std::uint32_t> Narrowed::files(size_t which) const {
  const Segment& segment = (*segments_)[which];
  std::vector<std::uint32_t> files;
  if (!docs_[which]) {
    files.resize(segment.file_count());
    std::iota(files.begin(), files.end(), 0);
    return files;
  }
  std::vector<std::uint32_t> with_docs;
  for (auto doc = docs_[which]->begin(); doc != docs_[which]->end();) {
    with_docs.push_back(segment.file_of(*doc));
    const Doc end = segment.end_doc(with_docs.back());
    while (doc != docs_[which]->end() && *doc < end) ++doc;
  }
  std::ranges::merge(with_docs, segment.unindexed_files(), std::back_inserter(files));
  return files;
}

}  // namespace helve::search
