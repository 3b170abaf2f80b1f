#include "search/glob.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "search/glob_parser.h"

namespace helve::search {
namespace {

constexpr size_t kNone = std::string_view::npos;

// The character that `text` begins with; a byte that is not UTF-8 is a character of its own, beyond
// all others.
char32_t first_character(std::string_view text, size_t length) {
  const auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  constexpr char32_t kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t character = byte(0) & kLeadBits[length];
  for (size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3F);
  return character;
}

}  // namespace

Result<Glob> Glob::compile(std::string_view pattern, Syntax syntax) {
  Glob glob;
  glob.by_bytes_ = syntax == Syntax::git;
  TRY(GlobParser(pattern, syntax, glob).parse());
  glob.find_shape();
  return glob;
}

void Glob::find_shape() {
  for (const Token& token : tokens_) {
    if (token.op == Op::byte && token.byte == '/') ++most_slashes_;
    if (token.op != Op::directories && token.op != Op::rest) continue;
    most_slashes_ = std::numeric_limits<size_t>::max();
    break;
  }
  const auto is_byte = [](const Token& token) { return token.op == Op::byte; };
  const auto head_end = std::find_if_not(tokens_.begin(), tokens_.end(), is_byte);
  for (auto token = tokens_.begin(); token != head_end; ++token) head_ += token->byte;
  if (head_end == tokens_.end()) {
    shape_ = Shape::literal;
    tail_ = head_;
    return;
  }
  const auto tail_start = std::find_if_not(tokens_.rbegin(), tokens_.rend(), is_byte).base();
  for (auto token = tail_start; token != tokens_.end(); ++token) tail_ += token->byte;
  if (tail_start - head_end != 1) return;
  if (head_end->op == Op::star) shape_ = Shape::one_star;
  if (head_end->op == Op::rest) shape_ = Shape::below;
}

bool Glob::matches(std::string_view text) const {
  if (shape_ == Shape::literal) return text == head_;
  if (!text.starts_with(head_) || !text.ends_with(tail_)) return false;
  switch (shape_) {
    case Shape::one_star:
      if (text.size() < head_.size() + tail_.size()) return false;
      text.remove_prefix(head_.size());
      text.remove_suffix(tail_.size());
      return text.find('/') == kNone;
    case Shape::below:
      return text.size() > head_.size();
    default:
      return run(text);
  }
}

size_t Glob::width(std::string_view text) const {
  if (by_bytes_ || static_cast<unsigned char>(text[0]) < 0x80) return 1;
  return std::max<size_t>(char_length(text), 1);
}

// The bytes that the token takes from the start of the text, which is not empty; 0: it does not
// match.
size_t Glob::step(const Token& token, std::string_view text) const {
  if (token.op == Op::byte) return text[0] == token.byte ? 1 : 0;
  if (text[0] == '/') return 0;
  const size_t length = width(text);
  if (token.op == Op::any) return length;
  const bool is_byte = length == 1;
  const char32_t character =
      is_byte ? static_cast<unsigned char>(text[0]) : first_character(text, length);
  const Class& one_of = classes_[token.one_of];
  // A stray byte in text is not the character of that number.
  const bool stray = is_byte && !by_bytes_ && character >= 0x80;
  const bool found = !stray && std::ranges::any_of(one_of.ranges, [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
  return found != one_of.negated ? length : 0;
}

// After a mismatch the last star takes one character more; when that would be a slash, the last
// "**/" takes one directory more. Earlier ones need not be tried again: a slash in the pattern
// stands for one in the text, so however they divided what came before, the state is the same.
bool Glob::run(std::string_view text) const {
  struct Retry {
    size_t token = kNone, at = 0;
  } star, directories;
  size_t at = 0, token = 0;
  while (true) {
    if (token == tokens_.size()) {
      if (at == text.size()) return true;
    } else if (tokens_[token].op == Op::star) {
      star = {++token, at};
      continue;
    } else if (tokens_[token].op == Op::directories) {
      directories = {++token, at};
      star = {};
      continue;
    } else if (tokens_[token].op == Op::rest) {
      if (at < text.size()) return true;
    } else if (at < text.size()) {
      if (const size_t taken = step(tokens_[token], text.substr(at))) {
        if (text[at] == '/') star = {};
        at += taken;
        ++token;
        continue;
      }
    }
    if (star.token != kNone && star.at < text.size() && text[star.at] != '/') {
      star.at += width(text.substr(star.at));
      token = star.token;
      at = star.at;
      continue;
    }
    if (directories.token == kNone) return false;
    const size_t slash = text.find('/', directories.at);
    if (slash == kNone) return false;
    star = {};
    token = directories.token;
    at = directories.at = slash + 1;
  }
}

}  // namespace helve::search
