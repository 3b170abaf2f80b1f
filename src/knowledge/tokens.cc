#include "knowledge/tokens.h"

#include <algorithm>

#include "knowledge/stem.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxCliticLetters = 2;  // "'s", "'t", "'re"

void append(std::string& token, char32_t c) {
  constexpr size_t kMaxCharacterBytes = 4;
  if (token.size() + kMaxCharacterBytes <= kMaxTokenBytes) append_utf8(token, c);
}

}  // namespace

const std::string* Tokens::next() {
  while (given_ == count_) {
    if (text_.empty()) return nullptr;
    given_ = count_ = 0;
    read_word();
  }
  return &ready_[given_++];
}

void Tokens::add(std::string_view token) {
  if (count_ == ready_.size()) ready_.emplace_back();
  ready_[count_] = token;
  stem(ready_[count_++]);
}

// Reads on to the end of the next word.
void Tokens::read_word() {
  while (!text_.empty()) {
    const Character c = first_character(text_);
    if (c.is_of_word()) return read_identifier();
    if (c.kind == CharacterKind::ideograph) return read_ideographs();
    text_.remove_prefix(c.bytes);
  }
}

void Tokens::read_identifier() {
  part_.clear();
  whole_.clear();
  size_t parts = 0;
  auto end_part = [&] {
    if (!part_.empty()) add(part_);
    part_.clear();
    ++parts;
  };
  Character last;
  while (true) {
    const Character now = first_character(text_);
    if (now.is_of_word()) {
      if (begins_part(last, now)) end_part();
      append(part_, now.folded);
      append(whole_, now.folded);
      last = now;
      text_.remove_prefix(now.bytes);
    } else if (now.kind == CharacterKind::mark) {
      text_.remove_prefix(now.bytes);
    } else if (const size_t bytes = joiner_bytes(last); bytes > 0) {
      end_part();
      if (text_[0] == '.') append(whole_, U'.');  // 1.12 is not 11.2
      text_.remove_prefix(bytes);
      last = {};
    } else {
      break;
    }
  }
  text_.remove_prefix(clitic_bytes());
  end_part();
  if (parts > 1) add(whole_);
}

// "camelCase", "HTTPServer", "utf8"; but not "URLs".
bool Tokens::begins_part(const Character& last, const Character& now) const {
  using enum CharacterKind;
  if (last.bytes == 0) return false;
  if ((last.kind == digit) != (now.kind == digit)) return true;
  if (now.kind != capital) return false;
  // Whether a letter that is not of ASCII is a capital is not known.
  if (last.kind == letter) return last.bytes == 1;
  const Character after = first_character(text_.substr(now.bytes));
  if (after.kind != letter || after.bytes > 1) return false;
  const Character then = first_character(text_.substr(now.bytes + after.bytes));
  return after.folded != U's' || then.kind == letter;
}

// What joins parts of one identifier: _ and -, and a point between digits.
size_t Tokens::joiner_bytes(const Character& last) const {
  if (text_.empty() || last.bytes == 0) return 0;
  const Character after = first_character(text_.substr(1));
  if (text_[0] == '_' || text_[0] == '-') return after.is_of_word() ? 1 : 0;
  const bool between_digits =
      last.kind == CharacterKind::digit && after.kind == CharacterKind::digit;
  return text_[0] == '.' && between_digits ? 1 : 0;
}

// The "'s" or "'t" that the text begins with.
size_t Tokens::clitic_bytes() const {
  constexpr std::string_view kCurved = "\u2019";
  size_t bytes = text_.starts_with('\'') ? 1 : text_.starts_with(kCurved) ? kCurved.size() : 0;
  if (bytes == 0) return 0;
  size_t letters = 0;
  for (Character c; (c = first_character(text_.substr(bytes))).is_letter(); bytes += c.bytes) {
    if (++letters > kMaxCliticLetters) return 0;
  }
  return letters > 0 ? bytes : 0;
}

// Each, and each with the one before it.
void Tokens::read_ideographs() {
  std::string last;
  // Not all of a long text at once.
  constexpr size_t kMaxRun = 256;
  for (size_t i = 0; i < kMaxRun; ++i) {
    const Character now = first_character(text_);
    if (now.kind != CharacterKind::ideograph) return;
    std::string character;
    append_utf8(character, now.folded);
    add(character);
    if (!last.empty()) add(last + character);
    last = std::move(character);
    text_.remove_prefix(now.bytes);
  }
}

}  // namespace helve::knowledge
