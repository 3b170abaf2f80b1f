#include "jsonata/document.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "jsonata/number_text.h"

namespace helve::jsonata {

void Document::Free::operator()(Word* words) const { std::free(words); }

std::string_view Document::string(Word word) const {
  const char* const bytes = word & tape::kUnescaped ? unescaped_.data() : text_.data();
  const size_t length =
      tape::kind(word) == tape::Kind::key ? tape::key_length(word) : word >> 32 & kMaxStringBytes;
  return {bytes + tape::low(word), length};
}

double Document::number(Word word) const {
  if (tape::kind(word) == tape::Kind::integer) return static_cast<std::int32_t>(tape::low(word));
  return read_json_number(text_.substr(tape::low(word)));
}

std::uint32_t tape::count(const Word* container) {
  const Word stored = *container >> 32 & kMaxCount;
  if (stored < kMaxCount) return static_cast<std::uint32_t>(stored);
  const Word* const end = container + span(*container);
  const bool keyed = kind(*container) == Kind::object;
  std::uint32_t counted = 0;
  for (const Word* at = container + 1; at < end; ++counted) {
    at += keyed ? 1 : 0;
    at += span(*at);
  }
  return counted;
}

}  // namespace helve::jsonata
