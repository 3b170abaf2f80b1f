#include "search/index_writer.h"

#include <cstring>

#include "base/quick_hash.h"
#include "search/index_number.h"

namespace helve::search {
namespace {

constexpr size_t kBufferBytes = 1u << 20;

void align(std::string& out) { out.resize((out.size() + 7) / 8 * 8); }

std::vector<std::uint32_t> buckets_of(std::span<const std::string> paths) {
  std::vector<std::uint32_t> buckets(std::bit_ceil(paths.size() * 2 + 2));
  const size_t mask = buckets.size() - 1;
  for (size_t i = 0; i < paths.size(); ++i) {
    size_t at = quick_hash(paths[i]) & mask;
    while (buckets[at] != 0) at = (at + 1) & mask;
    buckets[at] = static_cast<std::uint32_t>(i + 1);
  }
  return buckets;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

SegmentWriter::SegmentWriter(const sys::Fd& file, Doc doc_count) : file_(file) {
  std::memcpy(header_.magic.data(), kSegmentMagic.data(), kSegmentMagic.size());
  header_.version = kSegmentVersion;
  header_.doc_count = doc_count;
  waiting_.resize(sizeof(SegmentHeader));  // written again once it is known
}

void SegmentWriter::encode(std::span<const Doc> docs) {
  list_.clear();
  Doc before = 0;
  for (const Doc doc : docs) {
    append_number(list_, doc + 1 - before);
    before = doc + 1;
  }
  const size_t dense_bytes = (header_.doc_count + 7) / 8;
  const bool is_dense = list_.size() >= dense_bytes;
  if (is_dense) {
    list_.assign(dense_bytes, '\0');
    for (const Doc doc : docs) list_[doc / 8] |= static_cast<char>(1 << doc % 8);
  }
  counts_.push_back(static_cast<std::uint32_t>(docs.size()) | (is_dense ? kDense : 0));
}

sys::OrErrno<void> SegmentWriter::add(Gram gram, std::span<const Doc> docs) {
  encode(docs);
  grams_.push_back(gram);
  checks_.push_back(static_cast<std::uint32_t>(quick_hash(list_)));
  offsets_.push_back(postings_bytes_);
  postings_bytes_ += list_.size();
  waiting_ += list_;
  return waiting_.size() < kBufferBytes ? sys::OrErrno<void>() : flush();
}

sys::OrErrno<void> SegmentWriter::flush() {
  auto done = sys::write_all(file_, waiting_);
  waiting_.clear();
  return done;
}

template <class T>
void SegmentWriter::append_table(Section section, std::span<const T> values) {
  header_.sections[static_cast<size_t>(section)] =
      header_.sections[static_cast<size_t>(Section::grams)] + tables_.size();
  tables_ += bytes_of(values);
  if (section != Section::paths) align(tables_);
}

sys::OrErrno<void> SegmentWriter::finish(std::span<const std::string> paths,
                                         std::vector<FileRecord> files,
                                         std::span<const DocRecord> docs) {
  std::string all_paths;
  for (size_t i = 0; i < paths.size(); ++i) {
    files[i].path_at = all_paths.size();
    files[i].path_size = static_cast<std::uint32_t>(paths[i].size());
    all_paths += paths[i];
    header_.text_bytes += files[i].stamp == kNeverFresh ? 0 : files[i].stamp.size;
  }
  files.push_back({.path_at = all_paths.size(), .first_doc = header_.doc_count});
  header_.gram_count = static_cast<std::uint32_t>(grams_.size());
  header_.file_count = static_cast<std::uint32_t>(paths.size());
  header_.sections[0] = sizeof(SegmentHeader);
  const std::uint64_t end = sizeof(SegmentHeader) + postings_bytes_;
  header_.sections[static_cast<size_t>(Section::grams)] = (end + 7) / 8 * 8;
  waiting_.append((8 - end % 8) % 8, '\0');
  offsets_.push_back(postings_bytes_);
  append_table<Gram>(Section::grams, grams_);
  append_table<std::uint32_t>(Section::counts, counts_);
  append_table<std::uint32_t>(Section::checks, checks_);
  append_table<std::uint64_t>(Section::offsets, offsets_);
  append_table<FileRecord>(Section::files, files);
  append_table<DocRecord>(Section::docs, docs);
  append_table<std::uint32_t>(Section::buckets, buckets_of(paths));
  append_table<char>(Section::paths, all_paths);
  header_.sections.back() = header_.sections[static_cast<size_t>(Section::grams)] + tables_.size();
  header_.tables_hash = quick_hash(tables_);
  const std::string_view header = bytes_of(std::span<const SegmentHeader>(&header_, 1));
  header_.header_hash = quick_hash(header.substr(0, offsetof(SegmentHeader, header_hash)));
  waiting_ += tables_;
  if (auto done = flush(); !done) return done;
  return sys::write_at(file_, header, 0);
}

}  // namespace helve::search
