// CharTest: which of a pattern's sets a character belongs to. ASCII is a table; beyond it PCRE2's
// tables are asked once for each character, and remembered.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "search/char_set.h"

struct pcre2_real_code_8;

namespace helve::search {

// Immutable once the sets are added, so any thread may use it with a memory of its own.
class CharTest {
 public:
  // What was asked before.
  struct Memory {
    struct Entry {
      char32_t character = 0;
      std::uint64_t known = 0, member = 0;  // a bit for each of the first 64 sets
    };
    std::vector<Entry> entries;
  };

  // The number of the set; the same for the same set.
  std::uint32_t add(const CharSet& set, bool ignore_case, bool unicode);
  bool has(std::uint32_t set, char32_t character, Memory& memory) const;
  const std::bitset<256>& bytes(std::uint32_t set) const { return sets_[set].bytes; }
  bool reaches_beyond_ascii(std::uint32_t set) const { return sets_[set].beyond_ascii; }

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  struct Set {
    std::string expression;
    std::bitset<256> bytes;
    bool beyond_ascii = false;
    std::unique_ptr<pcre2_real_code_8, Free> code = {};
  };
  bool ask(const Set& set, char32_t character) const;

  std::vector<Set> sets_;
};

}  // namespace helve::search
