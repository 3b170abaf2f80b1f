#include "search/index_segment.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <ranges>

#include "base/quick_hash.h"
#include "base/text.h"
#include "search/path_order.h"

namespace helve::search {
namespace {

Error damaged(std::string_view name, std::string_view why) {
  return {Code::internal,
          fmt::format("the search index '{}' is damaged: {}", escape_for_display(name), why),
          "it is built anew by: helve index build", "damaged_index"};
}

// What each section needs for the numbers that the header gives.
std::array<std::uint64_t, kSections> needed(const SegmentHeader& header) {
  const std::uint64_t grams = header.gram_count;
  return {0,
          grams * sizeof(Gram),
          grams * sizeof(std::uint32_t),
          grams * sizeof(std::uint32_t),
          (grams + 1) * sizeof(std::uint64_t),
          (header.file_count + std::uint64_t{1}) * sizeof(FileRecord),
          header.doc_count * sizeof(DocRecord),
          0,
          0};
}

}  // namespace

template <class Visit>
void Postings::for_each(Visit visit) const {
  if (is_dense_) {
    for (size_t at = 0; at < bytes_.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes_.data() + at, std::min<size_t>(8, bytes_.size() - at));
      for (; word != 0; word &= word - 1) {
        const auto doc = static_cast<Doc>(at * 8 + static_cast<size_t>(std::countr_zero(word)));
        if (doc >= doc_count_ || !visit(doc)) return;
      }
    }
    return;
  }
  Doc doc = 0;  // gaps begin at 1, so the first document is the gap less one
  const char* at = bytes_.data();
  const char* const end = at + bytes_.size();
  while (at < end) {
    std::uint32_t gap = static_cast<unsigned char>(*at++);
    if (gap >= 0x80) {
      gap &= 0x7f;
      for (int shift = 7; at < end && shift < 32; shift += 7) {
        const auto byte = static_cast<unsigned char>(*at++);
        gap |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
    }
    doc += gap;
    if (doc == 0 || doc > doc_count_ || !visit(doc - 1)) return;
  }
}

std::vector<Doc> Postings::docs() const {
  std::vector<Doc> out;
  out.reserve(count_);
  for_each([&](Doc doc) {
    out.push_back(doc);
    return true;
  });
  return out;
}

void Postings::keep_common(std::vector<Doc>& docs) const {
  if (is_dense_) {
    std::erase_if(docs, [&](Doc doc) {
      return doc / 8 >= bytes_.size() ||
             !(static_cast<unsigned char>(bytes_[doc / 8]) >> doc % 8 & 1);
    });
    return;
  }
  size_t kept = 0, at = 0;
  for_each([&](Doc doc) {
    while (at < docs.size() && docs[at] < doc) ++at;
    if (at < docs.size() && docs[at] == doc) docs[kept++] = docs[at++];
    return at < docs.size();
  });
  docs.resize(kept);
}

Result<std::shared_ptr<const Segment>> Segment::open(const sys::Fd& directory,
                                                     std::string_view name) {
  const auto file = sys::open_beneath(directory, name, sys::Open::read, sys::Links::refuse);
  if (!file) return sys::to_error(file.error(), "open the search index", name);
  auto mapped = sys::MappedFile::map(*file);
  if (!mapped) return sys::to_error(mapped.error(), "map the search index", name);
  std::shared_ptr<Segment> segment(new Segment(std::move(*mapped)));
  TRY(segment->check(name));
  return std::shared_ptr<const Segment>(std::move(segment));
}

Result<void> Segment::check(std::string_view name) {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof(SegmentHeader)) return damaged(name, "it has no header");
  header_ = reinterpret_cast<const SegmentHeader*>(bytes.data());
  if (std::string_view(header_->magic.data(), header_->magic.size()) != kSegmentMagic ||
      header_->version != kSegmentVersion)
    return damaged(name, "it is of another version");
  if (quick_hash(bytes.substr(0, offsetof(SegmentHeader, header_hash))) != header_->header_hash)
    return damaged(name, "its header changed");
  const auto& bounds = header_->sections;
  for (size_t i = 0; i < kSections; ++i) {
    if (bounds[i] % 8 != 0 || bounds[i] > bounds[i + 1] ||
        bounds[i + 1] - bounds[i] < needed(*header_)[i])
      return damaged(name, "its sections do not fit");
  }
  if (bounds.back() != bytes.size()) return damaged(name, "it is cut off");
  const std::uint64_t tables = bounds[static_cast<size_t>(Section::grams)];
  if (quick_hash(bytes.substr(tables)) != header_->tables_hash)
    return damaged(name, "its tables changed");
  for (std::uint32_t file = 0; file < file_count(); ++file) {
    if (flags(file) & kNotIndexed) unindexed_.push_back(file);
  }
  return {};
}

std::uint32_t Segment::file_of(Doc doc) const {
  const auto after = std::ranges::upper_bound(files(), doc, {}, &FileRecord::first_doc);
  return static_cast<std::uint32_t>(after - files().begin() - 1);
}

Segment::Range Segment::below(std::string_view directory) const {
  if (directory.empty()) return {0, file_count()};
  const std::string start = std::string(directory) + "/";
  const auto files = std::views::iota(std::uint32_t{0}, file_count());
  const auto first = std::ranges::partition_point(
      files, [&](std::uint32_t file) { return path_less(path(file), start); });
  const auto end = std::ranges::partition_point(
      first, files.end(), [&](std::uint32_t file) { return path(file).starts_with(start); });
  return {static_cast<std::uint32_t>(first - files.begin()),
          static_cast<std::uint32_t>(end - files.begin())};
}

std::optional<std::uint32_t> Segment::find(std::string_view path) const {
  const auto buckets = section<std::uint32_t>(Section::buckets);
  if (buckets.empty()) return {};
  const size_t mask = buckets.size() - 1;
  for (size_t at = quick_hash(path) & mask; buckets[at] != 0; at = (at + 1) & mask) {
    if (this->path(buckets[at] - 1) == path) return buckets[at] - 1;
  }
  return {};
}

std::optional<Segment::List> Segment::list(Gram gram) const {
  const auto grams = section<Gram>(Section::grams).first(header_->gram_count);
  const auto found = std::ranges::lower_bound(grams, gram);
  if (found == grams.end() || *found != gram) return {};
  const auto number = static_cast<std::uint32_t>(found - grams.begin());
  return List{number, section<std::uint32_t>(Section::counts)[number] & ~kDense};
}

Result<Postings> Segment::postings(const List& list) const {
  const std::uint64_t* const bounds = &section<std::uint64_t>(Section::offsets)[list.number];
  const std::span<const char> all = section<char>(Section::postings);
  if (bounds[0] > bounds[1] || bounds[1] > all.size())
    return damaged("postings", "a list lies outside");
  const std::string_view bytes(all.data() + bounds[0], bounds[1] - bounds[0]);
  if (static_cast<std::uint32_t>(quick_hash(bytes)) !=
      section<std::uint32_t>(Section::checks)[list.number])
    return damaged("postings", "a list changed");
  const std::uint32_t count = section<std::uint32_t>(Section::counts)[list.number];
  return Postings(bytes, list.count, (count & kDense) != 0, header_->doc_count);
}

}  // namespace helve::search
