#include "knowledge/embedding_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

#include "sys/file.h"
#include "sys/file_at.h"

namespace helve::knowledge {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "helvevec";
constexpr std::uint32_t kVersion = 1;
constexpr size_t kBlock = 1u << 20;  // bytes that are read or written at once
constexpr std::chrono::milliseconds kLongestWait{2000};

struct Header {
  std::array<char, 8> magic = {};
  std::uint32_t version = 0;
  std::uint32_t dimensions = 0;
  Hash128 embedder;
  std::uint64_t check = 0;  // of all before
};

template <class T>
std::string_view bytes_of(const T& value, size_t size = sizeof(T)) {
  return {reinterpret_cast<const char*>(&value), size};
}

std::string header_for(const Hash128& embedder, size_t dimensions) {
  Header header{.version = kVersion,
                .dimensions = static_cast<std::uint32_t>(dimensions),
                .embedder = embedder};
  std::ranges::copy(kMagic, header.magic.begin());
  header.check = quick_hash(bytes_of(header, offsetof(Header, check)));
  return std::string(bytes_of(header));
}

// A record: hash, check sum of the hash and the vector, vector.
void append_record(std::string& out, const Hash128& hash, std::string_view vector) {
  const std::uint64_t check = quick_hash(vector, hash.high ^ hash.low);
  out.append(bytes_of(hash)).append(bytes_of(check)).append(vector);
}

std::optional<Hash128> hash_of_record(std::string_view record) {
  Hash128 hash;
  std::uint64_t check = 0;
  std::memcpy(&hash, record.data(), sizeof hash);
  std::memcpy(&check, record.data() + sizeof hash, sizeof check);
  const std::string_view vector = record.substr(sizeof hash + sizeof check);
  if (check != quick_hash(vector, hash.high ^ hash.low)) return {};
  return hash;
}

// The id as far as it can be part of a name, and its hash, because different ones may look alike.
std::string file_name(std::string_view id) {
  constexpr size_t kShown = 60;
  std::string name;
  for (const char c : id.substr(0, kShown)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += is_plain ? c : '_';
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  name += '-';
  for (std::uint64_t rest = quick_hash(id), i = 0; i < 8; ++i, rest >>= 4)
    name += kDigits[rest & 15];
  return name + ".bin";
}

}  // namespace

std::string to_bytes(std::span<const float> vector) {
  float largest = 0;
  for (const float each : vector) largest = std::max(largest, std::abs(each));
  std::string bytes(vector.size(), 0);
  if (!(largest > 0) || !std::isfinite(largest)) return bytes;
  const float scale = 127 / largest;
  for (size_t i = 0; i < vector.size(); ++i)
    bytes[i] = static_cast<char>(static_cast<std::int8_t>(std::lrint(vector[i] * scale)));
  return bytes;
}

Vector from_bytes(std::string_view bytes) {
  std::int64_t squares = 0;
  for (const char byte : bytes) {
    const int value = static_cast<std::int8_t>(byte);
    squares += value * value;
  }
  const float scale = squares == 0 ? 0 : 1 / std::sqrt(static_cast<float>(squares));
  Vector vector(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    vector[i] = static_cast<float>(static_cast<std::int8_t>(bytes[i])) * scale;
  return vector;
}

EmbeddingCache::EmbeddingCache(std::string directory, std::string_view embedder_id,
                               std::uint64_t max_bytes)
    : directory_(std::move(directory)),
      name_(file_name(embedder_id)),
      path_(directory_ + "/" + name_),
      embedder_(quick_hash_128(embedder_id)),
      max_bytes_(max_bytes) {}

void EmbeddingCache::open_once() {
  if (!was_opened_) open();
  was_opened_ = true;
}

void EmbeddingCache::open() {
  file_ = {};
  dimensions_ = 0;
  places_.clear();
  is_damaged_ = false;
  const auto directory = sys::open_directory(directory_);
  if (!directory) return;
  auto file = sys::open_beneath(*directory, name_, sys::Open::read, sys::Links::refuse);
  if (!file) return;
  Header header;
  const auto got = sys::read_at(*file, {reinterpret_cast<char*>(&header), sizeof header}, 0);
  const size_t dimensions = header.dimensions;
  if (!got || *got != sizeof header || dimensions == 0 || dimensions > kMaxDimensions ||
      bytes_of(header) != header_for(embedder_, dimensions))
    return;
  file_ = std::move(*file);
  dimensions_ = dimensions;
  read_bytes_ = sizeof header;
  read_new();
}

void EmbeddingCache::read_new() {
  const size_t size = record_size();
  std::string buffer(std::max(kBlock / size, size_t{1}) * size, 0);
  for (;;) {
    const auto got = sys::read_at(file_, buffer, read_bytes_);
    const size_t whole = got ? *got / size : 0;
    for (size_t i = 0; i < whole; ++i) {
      const auto hash = hash_of_record(std::string_view(buffer).substr(i * size, size));
      if (hash)
        places_[hash->low] = read_bytes_ + i * size;
      else
        is_damaged_ = true;
    }
    read_bytes_ += whole * size;
    if (whole * size < buffer.size()) return;
  }
}

std::optional<std::string> EmbeddingCache::record_of(const Hash128& hash) {
  const auto place = places_.find(hash.low);
  if (place == places_.end()) return {};
  std::string record(record_size(), 0);
  const auto got = sys::read_at(file_, record, place->second);
  // The file may have been garbled since it was read.
  if (!got || *got != record.size() || hash_of_record(record) != hash) return {};
  return record;
}

std::optional<Vector> EmbeddingCache::find(const Hash128& hash) {
  const std::lock_guard lock(mutex_);
  open_once();
  const std::optional<std::string> record = record_of(hash);
  if (!record) return {};
  return from_bytes(std::string_view(*record).substr(kRecordHead));
}

size_t EmbeddingCache::size() {
  const std::lock_guard lock(mutex_);
  open_once();
  return places_.size();
}

Result<void> EmbeddingCache::add(std::span<const Entry> entries) {
  if (entries.empty()) return {};
  const size_t dimensions = entries.front().vector.size();
  if (dimensions == 0 || dimensions > kMaxDimensions ||
      std::ranges::any_of(entries, [&](const Entry& e) { return e.vector.size() != dimensions; }))
    return Error{Code::invalid_argument, "vectors to be cached differ in size, or have none",
                 "the embedder is to blame"};
  const std::lock_guard lock(mutex_);
  TRY(sys::make_directories(directory_, 0700));
  // Beside the file, which is replaced at times.
  const sys::Fd alone = TRY(sys::lock_file(path_ + ".lock", kLongestWait));
  TRY(prepare_to_add(dimensions));
  std::string records;
  for (const Entry& entry : entries) {
    if (!record_of(entry.hash)) append_record(records, entry.hash, to_bytes(entry.vector));
  }
  if (read_bytes_ + records.size() > max_bytes_) TRY(rewrite(max_bytes_ / 2));
  TRY(sys::append_file(path_, records));
  read_new();
  return {};
}

// The lock is held. Afterwards the file is the one of that name, whole, and read to its end.
Result<void> EmbeddingCache::prepare_to_add(size_t dimensions) {
  open_once();
  const auto named = sys::status_of(path_);
  const auto ours = file_ ? sys::status(file_) : sys::OrErrno<sys::FileStatus>();
  if (!named || !file_ || !ours || !ours->same_file(*named)) open();
  if (!file_ || dimensions_ != dimensions) return begin_anew(dimensions, {});
  read_new();
  const auto status = sys::status(file_);
  // An append that was cut short would put all that follow out of step.
  if (is_damaged_ || !status || status->size != read_bytes_) return rewrite(max_bytes_);
  return {};
}

// A file with these records of the one that is open, each if it is whole.
sys::OrErrno<void> EmbeddingCache::write_new(const sys::Fd& to, size_t dimensions,
                                             std::span<const std::uint64_t> places) const {
  std::string waiting = header_for(embedder_, dimensions), record(record_size(), 0);
  for (const std::uint64_t place : places) {
    const auto got = sys::read_at(file_, record, place);
    if (got && *got == record.size() && hash_of_record(record)) waiting += record;
    if (waiting.size() < kBlock) continue;
    if (const auto written = sys::write_all(to, waiting); !written) return written;
    waiting.clear();
  }
  return sys::write_all(to, waiting);
}

// Readers of the old file go on with it, so it is not written to but replaced.
Result<void> EmbeddingCache::begin_anew(size_t dimensions, std::span<const std::uint64_t> places) {
  const auto directory = sys::open_directory(directory_);
  if (!directory) return sys::to_error(directory.error(), "open the directory", directory_);
  const std::string temporary = sys::temporary_name();
  auto file = sys::create_new(*directory, temporary);
  if (!file) return sys::to_error(file.error(), "write", path_);
  auto done = write_new(*file, dimensions, places);
  if (done) done = sys::close_file(std::move(*file));
  if (done) done = sys::rename_at(*directory, temporary, name_, sys::Rename::replace);
  if (!done) {
    (void)sys::remove_file_at(*directory, temporary);
    return sys::to_error(done.error(), "write", path_);
  }
  open();
  if (dimensions_ == dimensions) return {};
  return Error{Code::unavailable, "'" + path_ + "' changed while it was written",
               "remove it; it costs only time"};
}

// Keeps the newest records that are whole.
Result<void> EmbeddingCache::rewrite(std::uint64_t keep_bytes) {
  std::vector<std::uint64_t> places;
  for (const auto& [hash, place] : places_) places.push_back(place);
  std::ranges::sort(places);
  const size_t most = keep_bytes / record_size();
  const size_t first = places.size() - std::min(most, places.size());
  return begin_anew(dimensions_, std::span(places).subspan(first));
}

}  // namespace helve::knowledge
