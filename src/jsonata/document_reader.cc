#include "jsonata/document_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_map>

#include "base/text.h"
#include "jsonata/unicode.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace helve::jsonata {
namespace {

using tape::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && !(c & 0x80);
}

// The first byte of a string that is not an ordinary ASCII character.
const char* end_of_plain(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  while (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Compared as signed numbers, bytes beyond ASCII are below the space as well.
    const __m128i unusual =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmplt_epi8(block, space));
    const int mask = _mm_movemask_epi8(unusual);
    if (mask != 0) return at + std::countr_zero(static_cast<unsigned>(mask));
    at += 16;
  }
#endif
  while (at < end && is_plain(*at)) ++at;
  return at;
}

// Both must be readable for 16 bytes, whatever the length.
bool same_bytes(const char* a, const char* b, size_t length) {
#ifdef __SSE2__
  // Keys are short: one comparison is quicker than a call.
  if (length <= 16) {
    const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
    const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
    const unsigned same = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)));
    return (~same & ((1u << length) - 1)) == 0;
  }
#endif
  return std::memcmp(a, b, length) == 0;
}

Word key_word(size_t depth, size_t offset, size_t length, Word where) {
  return tape::make(Kind::key, static_cast<std::uint32_t>(offset)) | Word{depth} << 48 |
         Word{length} << 32 | where;
}

}  // namespace

DocumentReader::DocumentReader(std::string_view text, Document::Prepare prepare)
    : text_(text), prepare_(prepare), at_(text.data()), end_(text.data() + text.size()) {}

bool DocumentReader::grow() {
  const size_t wanted = capacity_ == 0 ? text_.size() / 8 + 64 : capacity_ * 2;
  void* const memory = std::realloc(memory_.release(), wanted * sizeof(Word));
  if (!memory) return refuse("no memory for the document");
  if (prepare_) prepare_(memory, wanted * sizeof(Word));
  tape_ = static_cast<Word*>(memory);
  memory_.reset(tape_);
  capacity_ = wanted;
  return true;
}

bool DocumentReader::fail(std::string_view what) {
  const std::string_view read(text_.data(), static_cast<size_t>(at_ - text_.data()));
  const size_t line = 1 + static_cast<size_t>(std::ranges::count(read, '\n'));
  const size_t newline = read.rfind('\n');
  const size_t column = 1 + count_chars(newline == read.npos ? read : read.substr(newline + 1));
  error_ = {Code::invalid_argument,
            fmt::format("invalid JSON at line {}, column {}: {}", line, column, what), "",
            "invalid_json"};
  return false;
}

bool DocumentReader::refuse(std::string what) {
  error_ = {Code::too_large, std::move(what), "query a smaller part of the document"};
  return false;
}

Result<Document> DocumentReader::read() {
  if (text_.size() > Document::kMaxBytes) {
    refuse(fmt::format("the document is larger than {}", human_size(Document::kMaxBytes)));
    return error_;
  }
  if (text_.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  if (!grow() || !read_document()) return error_;
  Document document;
  document.text_ = text_;
  document.unescaped_ = std::move(unescaped_);
  document.words_ = words_;
  // Gives back what was too much; when that fails, the old memory is still good.
  Word* const tape = memory_.release();
  void* const fitting = std::realloc(tape, words_ * sizeof(Word));
  document.tape_.reset(fitting ? static_cast<Word*>(fitting) : tape);
  return document;
}

bool DocumentReader::read_document() {
  skip_space();
  if (!read_value()) return false;
  while (!levels_.empty()) {
    // A value was read; what may follow it depends on the container.
    Level& level = levels_.back();
    if (at_ < end_ && *at_ <= ' ') skip_space();
    if (at_ == end_) return fail("the text ends too early");
    if (*at_ == ',') {
      ++at_;
      if (at_ < end_ && *at_ <= ' ') skip_space();
      ++level.count;
      if (level.is_object && !read_key()) return false;
      if (!read_value()) return false;
    } else if (*at_ == (level.is_object ? '}' : ']')) {
      ++at_;
      ++level.count;
      if (!close()) return false;
    } else {
      return fail(level.is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
  }
  skip_space();
  return at_ == end_ || fail("expected the end of the text");
}

bool DocumentReader::read_value() {
  if (at_ == end_) return fail("the text ends where a value should begin");
  if (!reserve()) return false;
  switch (*at_) {
    case '"':
      return read_string(false);
    case '{':
      return open(true);
    case '[':
      return open(false);
    case 't':
      return read_word("true", Kind::yes);
    case 'f':
      return read_word("false", Kind::no);
    case 'n':
      return read_word("null", Kind::null);
    default:
      return read_number();
  }
}

bool DocumentReader::open(bool is_object) {
  ++at_;
  if (levels_.size() >= Document::kMaxDepth)
    return refuse(fmt::format("the document is nested deeper than {} levels", Document::kMaxDepth));
  levels_.push_back({words_, 0, is_object, false});
  push(0);
  if (is_object) {
    outer_guesses_.emplace_back(guess_, guess_end_);
    const size_t depth = levels_.size();
    if (guesses_.size() <= depth) guesses_.resize(depth + 1);
    const size_t guess = guesses_[depth];
    guess_ = guess + 1;
    guess_end_ = guess == 0 ? guess_ : guess + tape::span(tape_[guess]);
    levels_.back().kept_to_guess = guess != 0;
  }
  skip_space();
  if (at_ < end_ && *at_ == (is_object ? '}' : ']')) {
    ++at_;
    return close();
  }
  if (is_object && !read_key()) return false;
  return read_value();
}

bool DocumentReader::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  const Word count = std::min<Word>(level.count, tape::kMaxCount);
  const Kind kind = level.is_object ? Kind::object : Kind::array;
  tape_[level.start] =
      tape::make(kind, static_cast<std::uint32_t>(words_ - level.start)) | count << 32;
  if (!level.is_object) return true;
  if (!level.kept_to_guess && !is_tidy(level.start)) {
    tidy(level.start);
    // What was in it stands elsewhere now: nothing deeper is a guess any more.
    guesses_.resize(std::min(guesses_.size(), levels_.size() + 2));
  }
  if (level.start != 0) guesses_[levels_.size() + 1] = level.start;
  std::tie(guess_, guess_end_) = outer_guesses_.back();
  outer_guesses_.pop_back();
  return true;
}

[[gnu::always_inline]] inline bool DocumentReader::read_guessed_key(Level& level) {
  if (guess_ >= guess_end_) {
    level.kept_to_guess = false;
    return false;
  }
  const Word guess = tape_[guess_];
  const size_t length = tape::key_length(guess);
  const char* const bytes = text_.data() + tape::low(guess);
  // The closing quote is compared as well.
  if (guess & tape::kUnescaped || static_cast<size_t>(end_ - at_) < length + 18 ||
      !same_bytes(at_ + 1, bytes, length + 1)) {
    level.kept_to_guess = false;
    guess_ = guess_end_;
    return false;
  }
  guess_ += 1 + tape::span(tape_[guess_ + 1]);
  push(key_word(levels_.size(), static_cast<size_t>(at_ + 1 - text_.data()), length, 0));
  at_ += length + 2;
  return true;
}

bool DocumentReader::read_key() {
  if (at_ == end_ || *at_ != '"') return fail("expected a string as the name of a member");
  if (!reserve()) return false;
  if (!read_guessed_key(levels_.back()) && !read_string(true)) return false;
  if (at_ < end_ && *at_ <= ' ') skip_space();
  if (at_ == end_ || *at_ != ':') return fail("expected ':' after the name of a member");
  ++at_;
  if (at_ < end_ && *at_ <= ' ') skip_space();
  return true;
}

[[gnu::always_inline]] inline bool DocumentReader::add_string(bool is_key, size_t offset,
                                                              size_t length, Word where) {
  if (!is_key) {
    if (length > Document::kMaxStringBytes)
      return refuse(
          fmt::format("a string is longer than {}", human_size(Document::kMaxStringBytes)));
    push(tape::make(Kind::string, static_cast<std::uint32_t>(offset)) | Word{length} << 32 | where);
    return true;
  }
  if (length > Document::kMaxKeyBytes)
    return refuse(
        fmt::format("the name of a member is longer than {} bytes", Document::kMaxKeyBytes));
  push(key_word(levels_.size(), offset, length, where));
  return true;
}

bool DocumentReader::read_string(bool is_key) {
  const char* const start = ++at_;
  at_ = end_of_plain(start, end_);
  if (at_ == end_ || *at_ != '"') return read_unusual_string(start, is_key);
  ++at_;
  return add_string(is_key, static_cast<size_t>(start - text_.data()),
                    static_cast<size_t>(at_ - 1 - start), 0);
}

// Goes on where something else than ASCII and the closing quote was found.
bool DocumentReader::read_unusual_string(const char* start, bool is_key) {
  bool escaped = false;
  const size_t offset = unescaped_.size();
  const char* copied = start;  // what comes before is in `unescaped_`
  for (;; at_ = end_of_plain(at_, end_)) {
    if (at_ == end_) return fail("a string has no closing quote");
    if (*at_ == '"') break;
    if (*at_ & 0x80) {
      const size_t length = char_length({at_, static_cast<size_t>(end_ - at_)});
      if (length == 0) return fail("the text is not UTF-8");
      at_ += length;
    } else if (*at_ == '\\') {
      escaped = true;
      unescaped_.append(copied, at_);
      ++at_;
      if (!read_escape(unescaped_)) return false;
      copied = at_;
    } else {
      return fail("a control character in a string must be escaped");
    }
  }
  const char* const close = at_++;
  if (!escaped)
    return add_string(is_key, static_cast<size_t>(start - text_.data()),
                      static_cast<size_t>(close - start), 0);
  unescaped_.append(copied, close);
  return add_string(is_key, offset, unescaped_.size() - offset, tape::kUnescaped);
}

bool DocumentReader::read_unit(std::uint32_t& unit) {
  unit = 0;
  if (end_ - at_ < 4) return fail("\\u needs four hexadecimal digits");
  for (int i = 0; i < 4; ++i, ++at_) {
    const int digit = hex_digit(*at_);
    if (digit < 0) return fail("\\u needs four hexadecimal digits");
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

bool DocumentReader::read_escape(std::string& out) {
  if (at_ == end_) return fail("a string has no closing quote");
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = *at_;
  if (letter != 'u') {
    const size_t place = kLetters.find(letter);
    if (place == kLetters.npos) return fail("unknown escape in a string");
    ++at_;
    out += kMeanings[place];
    return true;
  }
  ++at_;
  std::uint32_t unit = 0;
  if (!read_unit(unit)) return false;
  append_unit(out, unit);
  return true;
}

bool DocumentReader::read_number() {
  const char* const start = at_;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  if (at_ == end_ || !is_digit(*at_)) {
    at_ = start;
    return fail("expected a value");
  }
  const char* const digits = at_;
  std::uint64_t whole = 0;
  while (at_ < end_ && is_digit(*at_))
    whole = whole * 10 + static_cast<std::uint64_t>(*at_++ - '0');
  const std::ptrdiff_t count = at_ - digits;
  if (count > 1 && *digits == '0') return fail("a number must not begin with 0");
  const char next = at_ < end_ ? *at_ : ' ';
  if (next != '.' && next != 'e' && next != 'E' && count <= 9 && (whole != 0 || !negative)) {
    const std::int32_t small = static_cast<std::int32_t>(whole);
    push(tape::make(Kind::integer, static_cast<std::uint32_t>(negative ? -small : small)));
    return true;
  }
  if (next == '.') {
    ++at_;
    if (at_ == end_ || !is_digit(*at_)) return fail("expected a digit after the decimal point");
    while (at_ < end_ && is_digit(*at_)) ++at_;
  }
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (at_ == end_ || !is_digit(*at_)) return fail("expected a digit in the exponent");
    while (at_ < end_ && is_digit(*at_)) ++at_;
  }
  push(tape::make(Kind::number, static_cast<std::uint32_t>(start - text_.data())));
  return true;
}

bool DocumentReader::read_word(std::string_view word, Kind kind) {
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word))
    return fail("expected a value");
  at_ += word.size();
  push(tape::make(kind, 0));
  return true;
}

Result<Document> Document::parse(std::string_view text, Prepare prepare) {
  try {
    return DocumentReader(text, prepare).read();
  } catch (const std::bad_alloc&) {
    return Error{Code::too_large, "no memory for the document",
                 "query a smaller part of the document"};
  }
}

}  // namespace helve::jsonata
