// Tokens: the words of a text as the index knows them. Lower case without accents, English words
// by their stems; identifiers in their parts ("max", "result") and as a whole ("maxresult" for
// maxResults, max_results and max-results); Chinese, Japanese and Korean by characters and pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/characters.h"

namespace helve::knowledge {

constexpr size_t kMaxTokenBytes = 64;  // what is longer is cut

// Reads any bytes: what is not UTF-8 separates words.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Null: there are no more. Valid until the next call.
  const std::string* next();

 private:
  void read_word();
  void read_identifier();
  void read_ideographs();
  bool begins_part(const Character& last, const Character& now) const;
  size_t joiner_bytes(const Character& last) const;
  size_t clitic_bytes() const;
  void add(std::string_view token);

  std::string_view text_;           // what is left of it
  std::vector<std::string> ready_;  // of the last word; reused
  size_t count_ = 0;                // of those
  size_t given_ = 0;
  std::string part_, whole_;
};

}  // namespace helve::knowledge
