// Library: finds passages in the documents of one shelf. Its index is kept in memory and follows
// what is written, by whomever: before a question it takes in the versions that are new since the
// last one.
//
// Thread-safe: one question at a time. Nothing is read before the first one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "knowledge/passage_index.h"
#include "knowledge/vector_maker.h"
#include "store/documents.h"

namespace helve::knowledge {

constexpr size_t kMaxIndexedBytes = 1u << 20;           // of a document; the rest is not found
constexpr std::uint64_t kMaxIndexBytes = 512ull << 20;  // of all documents together

// Which versions are searched.
enum class Reach : unsigned char { latest, history };

struct LibraryQuestion {
  std::string_view text;
  Mode mode = Mode::hybrid;
  Reach reach = Reach::latest;
  std::string_view prefix = {};  // only paths that begin so
  size_t limit = 10;
  size_t per_document = 3;  // passages of one document at most
  // Which passages count, asked once about each that may be among the best; null: all.
  std::function<bool(const PassageView&)> accepts = {};
};

struct LibraryHit {
  std::string path;
  std::uint64_t version = 0;
  std::string heading, text;
  size_t first_line = 1, last_line = 1;
  double score = 0;  // 0 to 1
  bool by_meaning = false;
};

struct LibraryAnswer {
  std::vector<LibraryHit> hits;    // the best first
  Mode mode = Mode::keyword;       // in which it was searched
  std::vector<std::string> notes;  // what was not searched, and why
};

class Library {
 public:
  // Who makes vectors, or why there is nobody: then only words count.
  using FindEmbedder = std::function<Result<std::shared_ptr<Embedder>>()>;

  explicit Library(std::string shelf, FindEmbedder find_embedder = {});
  ~Library();

  const std::string& shelf() const { return shelf_; }

  // `documents` are those of the shelf.
  Result<LibraryAnswer> search(store::Documents& documents, const LibraryQuestion& question,
                               const Progress& progress, std::stop_token stop);
  // Takes in what is new and makes all vectors of the latest versions that are missing, however
  // long that takes.
  Result<VectorCount> build(store::Documents& documents, const Progress& progress,
                            std::stop_token stop);

 private:
  struct Known {
    std::uint64_t number = 0;  // of the version
    std::uint64_t bytes = 0;
    bool is_whole = true;
  };
  struct Side {  // the latest versions, or all of them
    PassageIndex index;
    std::unordered_map<std::string, Known> known;  // by the key in the index
    std::uint64_t bytes = 0;
    size_t cut = 0;                            // documents of which not all is known …
    std::unordered_set<std::string> left_out;  // … and keys of which nothing is
    store::ShelfState seen = {};
  };

  Result<void> follow(store::Documents& documents, Side& side, Reach reach,
                      const Progress& progress, const std::stop_token& stop);
  Result<void> take(store::Documents& documents, Side& side, Reach reach,
                    const store::DocumentVersion& version);
  struct Meaning {
    std::shared_ptr<Embedder> embedder;  // null: there is none
    Vector vector;                       // of the question
  };
  Result<Meaning> meaning_of(const LibraryQuestion& question, LibraryAnswer& answer,
                             const std::stop_token& stop) const;
  static std::vector<Hit> find(const Side& side, const LibraryQuestion& question,
                               const Vector* meaning);
  static std::vector<LibraryHit> collect(const Side& side, const LibraryQuestion& question,
                                         const Vector* meaning);

  const std::string shelf_;
  const FindEmbedder find_embedder_;
  std::mutex mutex_;  // guards all that follows
  Side latest_;
  Side every_;  // empty until somebody asks for the history
  VectorMaker latest_vectors_{latest_.index, mutex_};
  VectorMaker every_vectors_{every_.index, mutex_};
};

}  // namespace helve::knowledge
