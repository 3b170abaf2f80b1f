// PassageIndex: finds the passages of many documents by words, by meaning, or by both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  std::vector<Passage> passages;
};

enum class Mode : unsigned char { keyword, semantic, hybrid };

struct Question {
  std::string_view text;
  Mode mode = Mode::hybrid;
  const Vector* meaning = nullptr;  // of the text; without it only words count
  std::string_view prefix = {};     // only documents whose key begins so
  size_t limit = 10;
  double min_score = 0;
  double recency = 0;       // how much new documents gain, 0 to 1
  std::int64_t now_ms = 0;  // for recency
};

struct Hit {
  const Document* document = nullptr;  // valid until the index changes
  size_t passage = 0;                  // its number in the document
  double score = 0;                    // 0 to 1
};

// One thread changes it, or any number ask it.
class PassageIndex {
 public:
  PassageIndex();
  ~PassageIndex();
  PassageIndex(PassageIndex&&) noexcept;
  PassageIndex& operator=(PassageIndex&&) noexcept;

  void put(Document document);
  void remove(std::string_view key);
  const Document* find(std::string_view key) const;
  size_t passages() const;
  size_t vectors() const;  // passages that have one

  // What is embedded of a passage: its text, below the nearest heading.
  static std::string embedded_text(const Passage& passage);
  // Passages that have no vector yet, at most `limit`.
  std::vector<Hit> without_vector(size_t limit) const;
  void set_vector(std::string_view key, size_t passage, const Vector& vector);

  // The best first.
  std::vector<Hit> search(const Question& question) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace helve::knowledge
