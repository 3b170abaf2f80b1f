// Regex: a regular expression of JSONata, which are JavaScript's, as far as PCRE2 can read them.
// Immutable once compiled; any number of threads may match with one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::jsonata {

class Regex {
 public:
  static constexpr size_t kMaxLength = 10'000;  // bytes of an expression
  static constexpr std::uint32_t kMaxMemoryKiB = 65'536;

  // Nothing when it cannot be compiled; `why` says what is wrong.
  static std::shared_ptr<const Regex> compile(std::string_view pattern, std::string_view flags,
                                              std::string& why);

  struct Span {
    size_t begin;
    size_t end;
  };
  // A text to be searched, once or often. Surrogates that stand alone, which UTF-8 does not have,
  // are searched as U+FFFD, which is as long. Borrows the text.
  class Subject {
   public:
    explicit Subject(std::string_view text);

   private:
    friend class Regex;
    std::string_view text() const { return copy_.empty() ? text_ : copy_; }
    std::string_view text_;
    std::string copy_;  // when the text is not UTF-8
  };
  struct Found {
    std::vector<std::optional<Span>> groups;  // the whole match first, in bytes of the text
  };
  enum class Match : unsigned char { yes, no, gave_up };
  // Looks from the byte `from` on. Gives up when that takes more than `steps`, which it lowers.
  Match match(const Subject& subject, size_t from, std::uint64_t& steps, Found& found) const;

  std::string_view source() const { return source_; }

  Regex(const Regex&) = delete;

 private:
  struct Free {
    void operator()(void* code) const;
  };
  Regex(void* code, std::string_view source) : code_(code), source_(source) {}
  std::unique_ptr<void, Free> code_;
  std::string source_;
};

}  // namespace helve::jsonata
