// Plain text in text, by vector instructions: the finder of one literal, and what lines need. The
// processor is asked once which instructions it has (AVX2; SSE2 otherwise; plain C++ elsewhere).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve::search {

constexpr size_t kNowhere = std::string_view::npos;

// Finds one literal. Immutable, so any thread may use it.
//
// Two bytes of the literal that are rare in source code are compared at 32 places at a time; only
// where both are does the whole literal get compared.
class LiteralFinder {
 public:
  // Of ASCII letters when case is ignored.
  enum class Case : unsigned char { exact, ignored };
  LiteralFinder(std::string literal, Case case_of_letters);

  // The first place at or after `from`, or kNowhere.
  size_t find(std::string_view text, size_t from = 0) const;
  // Whether the literal stands at `at`, where all of it must fit.
  bool stands_at(std::string_view text, size_t at) const;

  const std::string& literal() const { return literal_; }  // in lower case when case is ignored
  Case case_of_letters() const { return case_; }

 private:
  using Search = size_t (*)(const LiteralFinder&, const char* begin, const char* end);
  struct Kernels;

  bool same(const char* place) const;
  static size_t find_short(const LiteralFinder& finder, const char* begin, const char* end);
  static Search best_search();

  std::string literal_;
  Case case_;
  size_t first_ = 0, second_ = 0;              // places of the two rare bytes in the literal
  std::uint8_t first_or_ = 0, second_or_ = 0;  // 0x20 for a letter whose case is ignored
  Search search_;
};

size_t count_newlines(std::string_view text);
bool is_ascii(std::string_view text);

// How common a byte is in source code, 0 for the rarest.
std::uint8_t byte_rank(unsigned char byte);

}  // namespace helve::search
