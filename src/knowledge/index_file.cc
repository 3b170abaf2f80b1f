#include "knowledge/index_file.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "base/quick_hash.h"
#include "knowledge/file_copy.h"
#include "sys/file.h"
#include "sys/file_at.h"

namespace helve::knowledge {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> kMagic = {'h', 'e', 'l', 'v', 'e', 'm', 'e', 'm'};
// Also of what is in it: a change of tokens, stems, weights or passages is a new version. A test
// notices.
constexpr std::uint32_t kVersion = 1;
constexpr size_t kAlignment = 64;
constexpr size_t kBlock = 1u << 20;  // bytes that are written, and have a check sum, at once
// Others who write it are not waited for.
constexpr std::chrono::milliseconds kLongestWait{0};

enum Part : unsigned char {
  documents_part,
  passages_part,
  texts_part,
  terms_part,
  names_part,
  slots_part,
  impacts_part,
  scales_part,
  values_part,
  note_part,
  embedder_part
};
constexpr size_t kParts = embedder_part + 1;

struct Footer {
  std::array<TextPlace, kParts> parts;  // of the file
  std::uint64_t dimensions = 0;         // of the vectors
  std::uint64_t size = 0;               // of the file, with the footer
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
  std::array<char, 8> magic = kMagic;
  std::uint64_t check = 0;  // of all before
};

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::uint64_t check_of(const Footer& footer, std::span<const std::uint64_t> blocks) {
  const std::string_view head(reinterpret_cast<const char*>(&footer), offsetof(Footer, check));
  return quick_hash(head, quick_hash(bytes_of(blocks)));
}

// Nothing when the part is not one of whole values.
template <class T>
std::optional<std::span<const T>> values_in(std::string_view file, const TextPlace& place) {
  if (place.at > file.size() || place.size > file.size() - place.at) return {};
  if (place.at % kAlignment != 0 || place.size % sizeof(T) != 0) return {};
  return std::span(reinterpret_cast<const T*>(file.data() + place.at), place.size / sizeof(T));
}

class Writer {
 public:
  explicit Writer(const sys::Fd& file) : file_(file) { waiting_.reserve(kBlock); }

  void begin(Part part) {
    append(std::string((kAlignment - at_ % kAlignment) % kAlignment, '\0'));
    part_ = &footer_.parts[part];
    part_->at = at_;
  }
  void add(std::string_view bytes) {
    part_->size += bytes.size();
    append(bytes);
  }
  template <class T>
  void add(Part part, std::span<const T> values) {
    begin(part);
    add(bytes_of(values));
  }

  sys::OrErrno<void> finish(size_t dimensions) {
    flush();
    footer_.dimensions = dimensions;
    footer_.size = at_ + sizeof footer_;
    footer_.check = check_of(footer_, blocks_);
    if (result_)
      result_ = sys::write_all(file_, {reinterpret_cast<const char*>(&footer_), sizeof footer_});
    return result_;
  }

 private:
  void append(std::string_view bytes) {
    at_ += bytes.size();
    while (!bytes.empty()) {
      const size_t fits = std::min(bytes.size(), kBlock - waiting_.size());
      waiting_ += bytes.substr(0, fits);
      bytes.remove_prefix(fits);
      if (waiting_.size() == kBlock) flush();
    }
  }
  void flush() {
    if (waiting_.empty()) return;
    blocks_.push_back(quick_hash(waiting_));
    if (result_) result_ = sys::write_all(file_, waiting_);
    waiting_.clear();
  }

  const sys::Fd& file_;
  Footer footer_;
  TextPlace* part_ = nullptr;
  std::uint64_t at_ = 0;
  std::string waiting_;
  std::vector<std::uint64_t> blocks_;
  sys::OrErrno<void> result_;
};

void write_words(Writer& writer, const WordIndex& words) {
  const auto sorted = words.sorted();
  std::vector<KeptTerm> terms;
  std::string names;
  std::uint64_t first = 0;
  for (const auto& [word, postings] : sorted) {
    const auto count = static_cast<std::uint32_t>(postings->slots.size());
    terms.push_back({.first = first,
                     .count = count,
                     .name_at = static_cast<std::uint32_t>(names.size()),
                     .name_size = static_cast<std::uint16_t>(word.size()),
                     .highest = postings->highest});
    first += count;
    names += word;
  }
  writer.add(terms_part, std::span<const KeptTerm>(terms));
  writer.begin(names_part);
  writer.add(names);
  writer.begin(slots_part);
  for (const auto& [word, postings] : sorted)
    writer.add(bytes_of(std::span<const Slot>(postings->slots)));
  writer.begin(impacts_part);
  for (const auto& [word, postings] : sorted)
    writer.add(bytes_of(std::span<const std::uint16_t>(postings->impacts)));
}

sys::OrErrno<void> write_parts(const sys::Fd& file, const IndexParts& parts) {
  Writer writer(file);
  writer.add(documents_part, parts.documents);
  writer.add(passages_part, parts.passages);
  writer.begin(texts_part);
  for (const std::string_view text : parts.texts) writer.add(text);
  write_words(writer, parts.words);
  writer.add(scales_part, parts.rows.scales);
  writer.add(values_part, parts.rows.values);
  writer.begin(note_part);
  writer.add(parts.note);
  writer.begin(embedder_part);
  writer.add(parts.embedder);
  return writer.finish(parts.rows.dimensions);
}

}  // namespace

std::unique_ptr<IndexFile> IndexFile::open(const std::string& directory, const std::string& name) {
  const auto in = sys::open_directory(directory);
  if (!in) return nullptr;
  const auto file = sys::open_beneath(*in, name, sys::Open::itself, sys::Links::refuse);
  if (!file) return nullptr;
  auto copy = copy_of(*file);
  if (!copy) return nullptr;
  std::unique_ptr<IndexFile> index(new IndexFile(std::move(*copy)));
  return index->read() ? std::move(index) : nullptr;
}

bool IndexFile::read() {
  const std::string_view file = file_;
  Footer footer;
  if (file.size() < sizeof footer) return false;
  std::string_view body = file.substr(0, file.size() - sizeof footer);
  std::memcpy(&footer, file.data() + body.size(), sizeof footer);
  if (footer.magic != kMagic || footer.version != kVersion || footer.size != file.size())
    return false;
  std::vector<std::uint64_t> blocks;
  for (std::string_view rest = body; !rest.empty();) {
    const std::string_view block = rest.substr(0, kBlock);
    blocks.push_back(quick_hash(block));
    rest.remove_prefix(block.size());
  }
  if (footer.check != check_of(footer, blocks)) return false;

  const auto take = [&]<class T>(Part part, std::span<const T>& out) {
    const auto found = values_in<T>(body, footer.parts[part]);
    if (found) out = *found;
    return found.has_value();
  };
  std::span<const char> texts, names, note, embedder;
  if (!take(documents_part, documents_) || !take(passages_part, passages_) ||
      !take(texts_part, texts) || !take(terms_part, words_.terms) || !take(names_part, names) ||
      !take(slots_part, words_.slots) || !take(impacts_part, words_.impacts) ||
      !take(scales_part, rows_.scales) || !take(values_part, rows_.values) ||
      !take(note_part, note) || !take(embedder_part, embedder))
    return false;
  texts_ = {texts.data(), texts.size()};
  words_.names = {names.data(), names.size()};
  words_.passages = static_cast<Slot>(passages_.size());
  rows_.dimensions = footer.dimensions;
  note_ = {note.data(), note.size()};
  embedder_ = {embedder.data(), embedder.size()};
  return is_sound();
}

// Whether no number in it leads out of the file, whatever was written there.
bool IndexFile::is_sound() const {
  constexpr size_t kMaxDimensions = 1u << 16;
  const auto is_text = [this](const TextPlace& place) {
    return place.at <= texts_.size() && place.size <= texts_.size() - place.at;
  };
  if (passages_.size() >= kGone || rows_.dimensions > kMaxDimensions ||
      words_.slots.size() != words_.impacts.size() ||
      rows_.values.size() != rows_.scales.size() * row_width(rows_.dimensions) ||
      rows_.scales.size() > passages_.size())
    return false;
  size_t next = 0;
  for (const KeptDocument& each : documents_) {
    if (!is_text(each.key) || !is_text(each.title) || !is_text(each.stamp) ||
        !is_text(each.content) || each.first != next || each.passages > passages_.size() - next)
      return false;
    next += each.passages;
  }
  return next == passages_.size() &&
         std::ranges::all_of(passages_,
                             [&](const KeptPassage& each) {
                               return is_text(each.heading) && is_text(each.text);
                             }) &&
         std::ranges::all_of(words_.terms,
                             [&](const KeptTerm& each) {
                               return each.name_at <= words_.names.size() &&
                                      each.name_size <= words_.names.size() - each.name_at &&
                                      each.first <= words_.slots.size() &&
                                      each.count <= words_.slots.size() - each.first;
                             }) &&
         std::ranges::all_of(words_.slots, [&](Slot slot) { return slot < passages_.size(); });
}

Result<void> write_index_file(const std::string& directory, const std::string& name,
                              const IndexParts& parts) {
  TRY(sys::make_directories(directory, 0700));
  const std::string path = directory + "/" + name;
  // Held to the end: what lies under the temporary name is of a process that was killed.
  const sys::Fd alone = TRY(sys::lock_file(path + ".lock", kLongestWait));
  const auto in = sys::open_directory(directory);
  if (!in) return sys::to_error(in.error(), "open the directory", directory);
  const std::string temporary = name + ".new";
  (void)sys::remove_file_at(*in, temporary);
  auto file = sys::create_new(*in, temporary);
  if (!file) return sys::to_error(file.error(), "write", path);
  auto done = write_parts(*file, parts);
  if (done) done = sys::close_file(std::move(*file));
  if (done) done = sys::rename_at(*in, temporary, name, sys::Rename::replace);
  if (done) return {};
  (void)sys::remove_file_at(*in, temporary);
  return sys::to_error(done.error(), "write", path);
}

}  // namespace helve::knowledge
