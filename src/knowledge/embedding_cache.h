// EmbeddingCache: vectors by the hash of the text they stand for, kept in one file for each
// embedder. Making a vector costs thousands of times what reading it does.
//
// The file only grows at its end, under a lock, by whole records; several processes share it. Each
// record has a check sum: what was cut short or garbled is not there, and is removed by the next
// who adds. When the file is full, the newer half is kept. Losing it costs only time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/quick_hash.h"
#include "base/result.h"
#include "knowledge/embedder.h"
#include "sys/file_descriptor.h"
#include "sys/file_error.h"

namespace helve::knowledge {

// A component in a byte each. On vectors of sentences that moves a cosine by less than 0.001.
std::string to_bytes(std::span<const float> vector);
// Of length 1 again, so that no scale need be kept.
Vector from_bytes(std::string_view bytes);

// Thread-safe.
class EmbeddingCache {
 public:
  static constexpr std::uint64_t kMaxBytes = 1u << 30;  // two million vectors of 512
  static constexpr size_t kMaxDimensions = 8192;

  struct Entry {
    Hash128 hash;
    Vector vector;
  };

  // Nothing is opened before it is needed. The directory is made with the first vector.
  EmbeddingCache(std::string directory, std::string_view embedder_id,
                 std::uint64_t max_bytes = kMaxBytes);

  static Hash128 hash_of(std::string_view text) { return quick_hash_128(text); }

  std::optional<Vector> find(const Hash128& hash);
  // Vectors that are there already are left out. All have the same size; where the file has another
  // one, it begins anew.
  Result<void> add(std::span<const Entry> entries);

  const std::string& path() const { return path_; }
  size_t size();  // of the vectors that are known here

 private:
  size_t record_size() const { return kRecordHead + dimensions_; }
  static constexpr size_t kRecordHead = sizeof(Hash128) + sizeof(std::uint64_t);

  void open_once();
  void open();
  // Reads what was added since the last time.
  void read_new();
  std::optional<std::string> record_of(const Hash128& hash);
  Result<void> prepare_to_add(size_t dimensions);
  Result<void> begin_anew(size_t dimensions, std::span<const std::uint64_t> places);
  sys::OrErrno<void> write_new(const sys::Fd& to, size_t dimensions,
                               std::span<const std::uint64_t> places) const;
  Result<void> rewrite(std::uint64_t keep_bytes);

  const std::string directory_;
  const std::string name_;
  const std::string path_;
  const Hash128 embedder_;
  const std::uint64_t max_bytes_;

  std::mutex mutex_;  // guards all that follows
  bool was_opened_ = false;
  sys::Fd file_;
  size_t dimensions_ = 0;
  std::uint64_t read_bytes_ = 0;  // of the file, the header and whole records
  bool is_damaged_ = false;       // some of them are not what was written
  // Where a record lies, by half of its hash; the record has the whole.
  std::unordered_map<std::uint64_t, std::uint64_t> places_;
};

}  // namespace helve::knowledge
