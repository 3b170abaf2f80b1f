// Document: JSON text, read once into a tape on which queries run without anything being built for
// its values. Strings stay where they are in the text; numbers are converted when they are used.
// Immutable once read: any number of threads may use one. Borrows the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "jsonata/value.h"

namespace helve::jsonata {

class Document {
 public:
  static constexpr size_t kMaxBytes = 0xFFFF'FFFF;
  static constexpr size_t kMaxDepth = 1'000;
  static constexpr size_t kMaxKeyBytes = 0xFFFF;
  static constexpr size_t kMaxStringBytes = (1u << 27) - 1;

  // The message of a failure says line and column. As JSON.parse has it, the last of several
  // members with one name counts, and names that are whole numbers come first.
  // `prepare` is told of memory that is about to be written, to make that quick; may be null.
  using Prepare = void (*)(void* memory, size_t bytes);
  static Result<Document> parse(std::string_view text, Prepare prepare = nullptr);

  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;

  const Word* root() const { return tape_.get(); }
  std::string_view string(Word word) const;  // of a string or a key
  double number(Word word) const;
  size_t tape_bytes() const { return words_ * sizeof(Word) + unescaped_.size(); }

 private:
  friend class DocumentReader;
  struct Free {
    void operator()(Word* words) const;
  };
  Document() = default;

  std::string_view text_;
  std::string unescaped_;  // strings that are not in the text as they are
  std::unique_ptr<Word[], Free> tape_;
  size_t words_ = 0;
};

// A word has its kind in the upper four bits.
//   integer  the number in the lower 32 bits
//   number   where its text begins
//   string   27 bits of length; where it begins, in the text or (with kUnescaped) beside it
//   key      11 bits of depth, 16 of length; where it begins, likewise
//   array, object  28 bits of count (all ones: too many to say); the words up to the next sibling
// Nothing points from one place of the tape to another, so that parts can be moved.
namespace tape {

enum class Kind : unsigned char { null, no, yes, integer, number, string, key, array, object };
constexpr Word kUnescaped = Word{1} << 59;
constexpr Word kMaxCount = (Word{1} << 28) - 1;

constexpr Kind kind(Word word) { return static_cast<Kind>(word >> 60); }
constexpr Word make(Kind kind, std::uint32_t low) { return static_cast<Word>(kind) << 60 | low; }
constexpr std::uint32_t low(Word word) { return static_cast<std::uint32_t>(word); }
constexpr bool is_container(Word word) { return word >= make(Kind::array, 0); }
// How many words a value takes.
constexpr std::uint32_t span(Word word) { return is_container(word) ? low(word) : 1; }
constexpr std::uint32_t key_length(Word word) { return word >> 32 & 0xFFFF; }
constexpr std::uint32_t key_depth(Word word) { return word >> 48 & 0x7FF; }
// How many items or members a container has.
std::uint32_t count(const Word* container);

}  // namespace tape

}  // namespace helve::jsonata
