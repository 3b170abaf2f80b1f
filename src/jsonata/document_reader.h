// DocumentReader: turns JSON text into the tape of a Document, in one pass and to a bounded depth.
// Most documents are lists of records that look alike, so each object is read with the previous one
// of its depth as a guess: a key that stands where the guess says is compared, not searched for its
// end, and an object that kept to its guess has no member twice.
#pragma once

#include <vector>

#include "jsonata/document.h"

namespace helve::jsonata {

class DocumentReader {
 public:
  DocumentReader(std::string_view text, Document::Prepare prepare);
  Result<Document> read();

 private:
  struct Level {  // a container that is being read
    size_t start;
    std::uint32_t count;
    bool is_object;
    bool kept_to_guess;
  };

  bool read_document();
  bool read_value();
  // Begins with the first item or member, or closes an empty container.
  bool open(bool is_object);
  bool close();
  bool read_key();
  bool read_guessed_key(Level& level);
  bool read_string(bool is_key);
  bool read_unusual_string(const char* start, bool is_key);
  bool read_escape(std::string& out);
  bool read_unit(std::uint32_t& unit);
  bool read_number();
  bool read_word(std::string_view word, tape::Kind kind);
  bool add_string(bool is_key, size_t offset, size_t length, Word where);

  void skip_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  // Room for what is written before the next call.
  bool reserve() { return words_ + 4 < capacity_ || grow(); }
  bool grow();
  void push(Word word) { tape_[words_++] = word; }
  bool fail(std::string_view what);
  bool refuse(std::string what);

  // Makes an object as JSON.parse would: the last member of a name counts, index keys come first.
  void tidy(size_t start);
  bool is_tidy(size_t start);

  std::string_view text_;
  Document::Prepare prepare_;
  const char* at_;
  const char* end_;
  std::string unescaped_;
  std::unique_ptr<Word[], Document::Free> memory_;
  Word* tape_ = nullptr;
  size_t words_ = 0;
  size_t capacity_ = 0;
  std::vector<Level> levels_;
  std::vector<size_t> guesses_;  // by depth: the last object there; 0: none
  size_t guess_ = 0;             // where the next key of the guess stands
  size_t guess_end_ = 0;
  std::vector<std::pair<size_t, size_t>> outer_guesses_;
  Error error_;
};

}  // namespace helve::jsonata
