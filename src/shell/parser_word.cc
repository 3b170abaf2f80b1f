// Words: quotes, globs, braces and what they are worth.
#include <algorithm>
#include <array>

#include "shell/ansi_c.h"
#include "shell/parser.h"

namespace helve::shell {
namespace {

constexpr std::array<bool, 256> plain_table() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./%+@-=:,"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}

bool is_plain(char c) {
  static constexpr std::array<bool, 256> kTable = plain_table();
  return kTable[static_cast<unsigned char>(c)];
}

// Whether `value` is NAME=…, after which a ~ stands for a home directory.
bool is_assignment(std::string_view value) {
  const size_t end = value.find('=');
  if (end == value.npos || end == 0 || !is_name_start(value[0])) return false;
  return std::ranges::all_of(value.substr(0, end), is_name);
}

}  // namespace

void Parser::Draft::vary(Varies how, size_t from, bool splits) {
  known = std::min(known, from);
  several = several || splits;
  // A glob alone leaves a value that can be told.
  if (varies == Varies::no || varies == Varies::glob) varies = how;
}

// A [ is a glob only when a ] follows.
void Parser::Draft::finish_bracket() {
  if (bracket == std::string::npos || value.find(']', bracket + 1) == std::string::npos) return;
  wild.insert(std::ranges::lower_bound(wild, bracket), static_cast<std::uint32_t>(bracket));
  const Varies before = varies;
  vary(Varies::glob, bracket, true);
  if (before != Varies::no) varies = before;
}

Word Parser::word(Mode mode) {
  const size_t start = (peek(), at_);
  Draft draft;
  int parentheses = 0;
  plain_run(draft);
  while (!failed_ && !ends_word(mode, draft, parentheses)) {
    word_part(draft, mode, start, parentheses);
    plain_run(draft);
  }
  if (at_ == start) fail_here();  // whoever asks for a word goes on behind it
  return finished(std::move(draft), start, mode);
}

// Characters that stand for themselves wherever they are, which is most of them.
void Parser::plain_run(Draft& draft) {
  if (draft.brace != std::string::npos) return;  // where a comma and dots mean something
  const size_t start = at_;
  while (at_ < source_.size() && is_plain(source_[at_])) ++at_;
  draft.value += source_.substr(start, at_ - start);
}

bool Parser::ends_word(Mode mode, const Draft& draft, int parentheses) {
  const int c = peek();
  if (c == kEnd) return true;
  if (!is_meta(c)) return false;
  if ((c == '<' || c == '>') && peek_second() == '(' && mode != Mode::regex) return false;
  if (parentheses > 0) return false;
  if (mode == Mode::regex) return c != '(' && c != '|';
  if (mode == Mode::pattern && c == '(' && !draft.value.empty())
    return std::string_view("?*+@!").find(draft.value.back()) == std::string_view::npos;
  return true;
}

void Parser::word_part(Draft& draft, Mode mode, size_t start, int& parentheses) {
  const int c = peek();
  switch (c) {
    case '\\':
      ++at_;
      draft.quoted = true;
      // At the end of the script it stands for itself.
      draft.value += at_end() ? '\\' : source_[at_++];
      return;
    case '\'':
      return single_quoted(draft);
    case '"':
      return double_quoted(draft);
    case '$':
      ++at_;
      return dollar(draft, Quoting::none);
    case '`':
      return backquoted(draft, Quoting::none);
    case '<':
    case '>':
      if (mode == Mode::regex || peek_second() != '(') break;
      return process_substitution(draft);
    case '(':
      ++parentheses;
      break;
    case ')':
      --parentheses;
      break;
    default:
      break;
  }
  plain_character(draft, mode, start);
}

void Parser::plain_character(Draft& draft, Mode mode, size_t start) {
  const size_t here = draft.value.size();
  const char c = take();
  const bool at_start = at_ == start + 1;
  const char before = at_start ? '\0' : source_[at_ - 2];
  draft.value += c;
  if (c == '*' || c == '?') {
    const Varies was = draft.varies;
    draft.vary(Varies::glob, here, true);
    if (was != Varies::no) draft.varies = was;
    draft.wild.push_back(static_cast<std::uint32_t>(here));
  } else if (c == '[' && draft.bracket == std::string::npos) {
    draft.bracket = here;
  } else if (c == '~') {
    // After = or : too, where a word looks like an assignment.
    const bool later =
        (before == '=' || before == ':') && (mode == Mode::value || is_assignment(draft.value));
    if (at_start || later) draft.vary(Varies::tilde, here, false);
  } else if (c == '{' && draft.brace == std::string::npos) {
    draft.brace = here;
  } else if (draft.brace != std::string::npos) {
    draft.brace_list = draft.brace_list || c == ',' || (c == '.' && before == '.');
    if (c == '}' && draft.brace_list) draft.vary(Varies::braces, draft.brace, true);
  }
}

Word Parser::finished(Draft draft, size_t start, Mode mode) {
  draft.finish_bracket();
  Word word{.varies = draft.varies, .quoted = draft.quoted, .several = draft.several};
  word.at = place(start);
  if (mode == Mode::value) word.several = false;
  if (word.varies == Varies::no) {
    word.text = std::move(draft.value);
    return word;
  }
  word.head = draft.value.substr(0, draft.known);
  if (word.varies == Varies::glob) {
    word.text = std::move(draft.value);
    word.wild = std::move(draft.wild);
  } else {
    word.text = source_.substr(start, at_ - start);
  }
  return word;
}

void Parser::single_quoted(Draft& draft) {
  draft.quoted = true;
  const size_t close = source_.find('\'', ++at_);
  if (close == source_.npos) return fail("a ' is not closed");
  draft.value += source_.substr(at_, close - at_);
  at_ = close + 1;
}

void Parser::double_quoted(Draft& draft) {
  const Deeper deeper(*this);
  if (failed_) return;
  draft.quoted = true;
  ++at_;
  while (!failed_) {
    const int c = peek();
    if (c == kEnd) return fail("a \" is not closed");
    if (c == '"') {
      ++at_;
      return;
    }
    double_quoted_part(draft);
  }
}

// Also of a here-document, where " is nothing special.
void Parser::double_quoted_part(Draft& draft) {
  const int c = peek();
  if (c == '$') {
    ++at_;
    dollar(draft, Quoting::quoted);
  } else if (c == '`') {
    backquoted(draft, Quoting::quoted);
  } else if (c == '\\' && at_ + 1 < source_.size()) {
    const char next = source_[at_ + 1];
    if (next != '$' && next != '`' && next != '"' && next != '\\') draft.value += '\\';
    draft.value += next;
    at_ += 2;
  } else {
    draft.value += static_cast<char>(c);
    ++at_;
  }
}

// $'…', where the $ is taken already.
void Parser::ansi_quoted(Draft& draft) {
  bash_only();
  draft.quoted = true;
  const size_t start = ++at_;
  while (!at_end() && source_[at_] != '\'') at_ += source_[at_] == '\\' ? 2 : 1;
  if (at_end()) return fail("a $' is not closed");
  const std::optional<std::string> value = decode_ansi_c(source_.substr(start, at_ - start));
  ++at_;
  if (value) {
    draft.value += *value;
  } else {
    draft.vary(Varies::translation, draft.value.size(), false);
  }
}

// `…`: its text is unescaped once and is then a script of its own.
void Parser::backquoted(Draft& draft, Quoting quoting) {
  const size_t start = at_++;
  std::string inner;
  while (!at_end() && source_[at_] != '`') {
    char c = source_[at_++];
    if (c == '\\' && !at_end()) {
      const char next = source_[at_++];
      const bool unescaped =
          next == '$' || next == '`' || next == '\\' || (next == '"' && quoting == Quoting::quoted);
      if (!unescaped) inner += c;
      c = next;
    }
    inner += c;
  }
  if (at_end()) return fail("a ` is not closed");
  ++at_;
  draft.vary(Varies::substitution, draft.value.size(), quoting == Quoting::none);
  Parser(inner, script_, depth_, place(start)).run();
}

}  // namespace helve::shell
