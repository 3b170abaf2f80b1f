// IndexFile: a PassageIndex as it lies on disk, read at once and used as it is, so that a process
// that answers one question need not look at all notes again.
//
// Sections one after the other, each aligned, and a footer that says where they are and has a check
// sum of it all. What is cut short, garbled or of another version is no index: losing it costs only
// time. A file is never changed: a new one takes its name. Numbers are in the byte order of the
// machines we build for.
//
// Thread-safe, as it does not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "knowledge/vector_rows.h"
#include "knowledge/word_index.h"

namespace helve::knowledge {

// A part of the section of texts.
struct TextPlace {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};
struct KeptDocument {
  TextPlace key, title, stamp, content;
  std::int64_t date_ms = 0;
  Slot first = 0;  // of its passages
  std::uint32_t passages = 0;
};
struct KeptPassage {
  TextPlace heading, text;
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
};

class IndexFile {
 public:
  // Null: there is none, or it is not whole.
  static std::unique_ptr<IndexFile> open(const std::string& directory, const std::string& name);

  std::span<const KeptDocument> documents() const { return documents_; }
  std::span<const KeptPassage> passages() const { return passages_; }
  const KeptWords& words() const { return words_; }
  const KeptRows& rows() const { return rows_; }
  std::string_view note() const { return note_; }
  std::string_view embedder() const { return embedder_; }
  std::string_view text(const TextPlace& place) const {
    return texts_.substr(place.at, place.size);
  }

 private:
  explicit IndexFile(std::string file) : file_(std::move(file)) {}
  bool read();
  bool is_sound() const;

  const std::string file_;
  std::span<const KeptDocument> documents_;
  std::span<const KeptPassage> passages_;
  KeptWords words_;
  KeptRows rows_;
  std::string_view texts_, note_, embedder_;
};

// What is to lie in a file.
struct IndexParts {
  std::span<const KeptDocument> documents;
  std::span<const KeptPassage> passages;
  std::span<const std::string_view> texts;  // the section of texts, in pieces
  const WordIndex& words;                   // stands on none that are kept
  KeptRows rows;
  std::string_view note, embedder;
};
// Makes the directory. An error of the type "busy": another process is writing it.
Result<void> write_index_file(const std::string& directory, const std::string& name,
                              const IndexParts& parts);

}  // namespace helve::knowledge
