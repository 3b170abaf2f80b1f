// Memory: the notes below one root, and how they are found again: by counting keywords, by words
// ranked with BM25F, by meaning, or by both. Every search first looks for what has changed on disk.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "knowledge/embedder.h"
#include "knowledge/memory_files.h"
#include "knowledge/passage_index.h"
#include "knowledge/vector_maker.h"
#include "sys/clock.h"

namespace helve::knowledge {

// What a score is: how often keywords occur, or from 0 to 1 by words, meaning, or both.
enum class ScoreKind : unsigned char { keyword_count, bm25, semantic, hybrid };

struct MemoryQuestion {
  std::string text;
  Mode mode = Mode::hybrid;  // keyword: counted
  size_t limit = 6;
  double min_score = 0.35;  // not of keyword counts
  double recency = 0;       // how much newer notes are preferred, 0 to 1
};

struct MemoryHit {
  std::string path;
  size_t first_line = 1;
  size_t last_line = 1;
  double score = 0;
  ScoreKind score_kind = ScoreKind::keyword_count;
  std::string heading;
  std::string snippet;
};

struct MemoryAnswer {
  std::vector<MemoryHit> hits;  // the best first
  size_t files = 0;
  std::uint64_t bytes = 0;         // of all files
  std::vector<std::string> notes;  // what could not be read, or searched by meaning
};

class Memory {
 public:
  // Whoever makes vectors, used by several memories and their threads at once; or why there is
  // nobody.
  using FindEmbedder = std::function<Result<std::shared_ptr<Embedder>>()>;

  // Its index is kept in a file between processes, if there is a place for it.
  Memory(sys::Fd root, const sys::Clock& clock, FindEmbedder find_embedder,
         std::optional<PassageIndex::Place> index_place = {});
  ~Memory();

  // Stopped before all was read: what was read by then need not be read again, and is one note at
  // least.
  Result<MemoryAnswer> search(const MemoryQuestion& question, std::stop_token stop,
                              const Progress& progress = {});
  // Reads what is new and makes all vectors that are missing, however long that takes.
  Result<VectorCount> build(const Progress& progress, std::stop_token stop);
  // A note as it is on disk.
  Result<std::string> read(std::string_view path) const { return files_.read(path); }

  // Held while a note is read and written again, so that what others add in this process is not
  // lost on the way.
  std::mutex& writing() { return writing_; }
  size_t reads();  // files that were read so far

 private:
  struct Meaning {
    std::shared_ptr<Embedder> embedder;  // null: there is none
    Vector vector;                       // of the question
    std::string why_not;
  };

  class Reading;

  void open_once();
  void keep();
  Result<void> sync(std::unique_lock<std::mutex>& lock, MemoryAnswer& answer,
                    const Progress& progress, const std::stop_token& stop);
  bool put(MemoryFiles::Note note, const std::stop_token& stop);
  void count(const MemoryQuestion& question, MemoryAnswer& answer,
             const std::stop_token& stop) const;
  void rank(const MemoryQuestion& question, const Vector* meaning, MemoryAnswer& answer) const;
  Meaning meaning_of(const MemoryQuestion& question, const std::stop_token& stop) const;

  const sys::Clock& clock_;
  const FindEmbedder find_embedder_;
  const std::optional<PassageIndex::Place> index_place_;
  std::mutex writing_;

  std::mutex mutex_;  // guards all that follows
  bool was_opened_ = false;
  bool is_reading_ = false;  // whoever does has files_ alone, without the mutex
  std::condition_variable_any read_;
  MemoryFiles files_;
  PassageIndex index_;
  VectorMaker vectors_{index_, mutex_, &clock_};
};

}  // namespace helve::knowledge
