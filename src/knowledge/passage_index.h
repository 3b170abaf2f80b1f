// PassageIndex: finds the passages of many documents by words, by meaning, or by both. It can be
// kept in a file, which another process opens in a moment.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/embedder.h"
#include "knowledge/passage.h"

namespace helve::knowledge {

struct Document {
  std::string key;  // a path; a second document of the same key replaces the first
  std::string title;
  std::int64_t date_ms = 0;  // for recency; 0: unknown
  std::string stamp = {};    // whatever its owner will know it by
  // What the passages are parts of; empty: they are all there is.
  std::string content = {};
  std::vector<Passage> passages = {};
};

// A document as it lies in the index.
struct IndexedDocument {
  std::string key, title;
  std::int64_t date_ms = 0;
  std::string stamp;
  std::string_view content;
  std::vector<PassageView> passages;
};

// In which way passages are compared that have a vector; the others are by their words.
enum class Mode : unsigned char { keyword, semantic, hybrid };

struct Question {
  std::string_view text;
  Mode mode = Mode::hybrid;
  const Vector* meaning = nullptr;  // of the text; without it only words count
  std::string_view prefix = {};     // only documents whose key begins so
  // Which passages have a chance to be among the best; asked about many of them, and about one more
  // than once. Null: all.
  std::function<bool(const IndexedDocument&, size_t passage)> accepts = {};
  size_t limit = 10;
  double min_score = 0;
  double recency = 0;       // how much new documents gain, 0 to 1
  std::int64_t now_ms = 0;  // for recency
};

struct Hit {
  const IndexedDocument* document = nullptr;  // valid until the index changes
  size_t passage = 0;                         // its number in the document
  double score = 0;                           // 0 to 1
  bool by_meaning = false;                    // its vector was compared
};

// One thread changes it, or any number ask it.
class PassageIndex {
 public:
  PassageIndex();
  ~PassageIndex();
  PassageIndex(PassageIndex&&) noexcept;
  PassageIndex& operator=(PassageIndex&&) noexcept;

  // Whether it is in there; after a stop not, nor is what it would have replaced.
  bool put(Document document, const std::stop_token& stop = {});
  void remove(std::string_view key);
  void restamp(std::string_view key, std::string stamp);
  const IndexedDocument* find(std::string_view key) const;
  std::vector<const IndexedDocument*> documents() const;  // in the order of their keys
  size_t passages() const;
  size_t vectors() const;  // passages that have one

  // What is embedded of a passage: its text, below the nearest heading.
  static std::string embedded_text(const PassageView& passage);
  // Vectors that another embedder made are dropped.
  void use_embedder(std::string_view id);
  // Passages that have no vector yet, at most `limit`.
  std::vector<Hit> without_vector(size_t limit) const;
  void set_vector(std::string_view key, size_t passage, const Vector& vector);

  // The best first.
  std::vector<Hit> search(const Question& question) const;

  // Where an index is kept between processes: a file of its own in a directory of its own.
  struct Place {
    std::string directory, name;
  };
  // What lies there, instead of all that is here. False, and nothing is changed: there is no index
  // that is whole.
  bool open(const Place& place);
  // An error of the type "busy": another process writes it at this moment.
  Result<void> save(const Place& place);
  // Whether a next process would have so much to read again that saving is worth its time.
  bool is_worth_saving() const;
  // Whatever its owner wants to know when it is opened.
  const std::string& note() const;
  void set_note(std::string note);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace helve::knowledge
