#include "terminal/markdown_inline.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace helve::terminal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
// Every byte of a character beyond ASCII is part of a word.
bool is_word(char c) { return !is_blank(c) && !is_mark(c); }

size_t run_length(std::string_view text, size_t at) {
  const size_t end = text.find_first_not_of(text[at], at);
  return (end == text.npos ? text.size() : end) - at;
}

// The whole text of a span that waits for its end; whether the end can still come.
struct Held {
  std::string_view text;
  Rest rest;
  bool may_grow() const { return rest == Rest::may_come && text.size() <= kMostHeld; }
};

constexpr size_t kUnknown = 0;  // no answer yet, as put_first_inline says it

// Where a run of exactly `length` backquotes begins.
std::optional<size_t> find_backquotes(const Held& held, size_t from, size_t length) {
  for (size_t at = from; (at = held.text.find('`', at)) != held.text.npos;) {
    const size_t run = run_length(held.text, at);
    if (at + run == held.text.size() && held.may_grow()) return std::nullopt;
    if (run == length) return at;
    at += run;
  }
  return std::nullopt;
}

// The position behind whatever hides marks at `at`: an escape, or code.
size_t behind_hidden(const Held& held, size_t at) {
  if (held.text[at] == '\\') return std::min(at + 2, held.text.size());
  if (held.text[at] != '`') return at;
  const size_t run = run_length(held.text, at);
  const auto end = find_backquotes(held, at + run, run);
  if (end) return *end + run;
  return held.may_grow() ? held.text.size() : at + run;
}

size_t put_literal(std::string_view text, Look look, const PutInline& put) {
  put({text, look});
  return text.size();
}

size_t put_code(const Held& held, Look look, const PutInline& put) {
  const size_t run = run_length(held.text, 0);
  if (run == held.text.size() && held.may_grow()) return kUnknown;
  const auto end = find_backquotes(held, run, run);
  if (!end) return held.may_grow() ? kUnknown : put_literal(held.text.substr(0, run), look, put);
  std::string_view code = held.text.substr(run, *end - run);
  if (code.size() > 2 && code.starts_with(' ') && code.ends_with(' '))
    code = code.substr(1, code.size() - 2);
  put({code, look | kCodeLook, {}, true});
  return *end + run;
}

// Where the text that `run` marks emphasize ends; the marks follow.
std::optional<size_t> find_emphasis_end(const Held& held, size_t run) {
  const std::string_view text = held.text;
  for (size_t at = run; at < text.size();) {
    if (text[at] != text[0]) {
      at = std::max(at + 1, behind_hidden(held, at));
      continue;
    }
    const size_t length = run_length(text, at);
    const size_t end = at + length;
    if (end == text.size() && held.may_grow()) return std::nullopt;
    const bool is_inside_word = text[0] == '_' && end < text.size() && is_word(text[end]);
    // Three marks end an emphasis within another one as well.
    const bool fits = length == run || (length == 3 && run < 3 && text[0] != '~');
    if (fits && at > run && !is_blank(text[at - 1]) && !is_inside_word) return end - run;
    at = end;
  }
  return std::nullopt;
}

size_t put_emphasis(const Held& held, char before, Look look, const PutInline& put) {
  const char mark = held.text[0];
  const size_t run = run_length(held.text, 0);
  if (run == held.text.size() && held.may_grow()) return kUnknown;
  const std::string_view marks = held.text.substr(0, run);
  if (run > 3 || run == held.text.size() || (mark == '~' && run != 2))
    return put_literal(marks, look, put);
  const char next = held.text[run];
  const bool is_inside_word = is_word(before) && (mark == '_' || !is_word(next));
  if (is_blank(next) || is_inside_word) return put_literal(marks, look, put);
  const Look added = mark == '~' ? struck : run == 1 ? italic : run == 2 ? bold : bold | italic;
  // What is emphasized already cannot be more so; this bounds the depth as well.
  if ((look & added) == added) return put_literal(marks, look, put);
  const auto end = find_emphasis_end(held, run);
  if (!end) return held.may_grow() ? kUnknown : put_literal(marks, look, put);
  put_inline(held.text.substr(run, *end - run), look | added, put);
  return *end + run;
}

// The position of the bracket that closes the one at `at`.
std::optional<size_t> find_bracket(const Held& held, size_t at, char open, char close) {
  size_t depth = 0;
  while (at < held.text.size()) {
    const char c = held.text[at];
    if (c == open) ++depth;
    if (c == close && --depth == 0) return at;
    at = std::max(at + 1, behind_hidden(held, at));
  }
  return std::nullopt;
}

size_t put_link(const Held& held, Look look, const PutInline& put) {
  const size_t start = held.text[0] == '!' ? 1 : 0;
  const auto not_a_link = [&] { return put_literal(held.text.substr(0, start + 1), look, put); };
  if ((look & kLinkLook) != 0) return not_a_link();  // a link holds no other
  const auto label_end = find_bracket(held, start, '[', ']');
  if (!label_end || *label_end + 1 == held.text.size())
    return held.may_grow() ? kUnknown : not_a_link();
  if (held.text[*label_end + 1] != '(') return not_a_link();
  const auto end = find_bracket(held, *label_end + 1, '(', ')');
  if (!end) return held.may_grow() ? kUnknown : not_a_link();
  const std::string_view label = held.text.substr(start + 1, *label_end - start - 1);
  std::string_view target = trim(held.text.substr(*label_end + 2, *end - *label_end - 2));
  target = target.substr(0, target.find_first_of(" \t"));  // a title may follow
  if (target.starts_with('<') && target.ends_with('>'))
    target = target.substr(1, target.size() - 2);
  put_inline(label, look | kLinkLook, [&](const InlineText& part) {
    put({part.text, part.look, target, part.is_code});
  });
  return *end + 1;
}

// <https://example.org>; anything else in angle brackets is text.
size_t put_address(const Held& held, Look look, const PutInline& put) {
  const size_t end = held.text.find_first_of("> \t", 1);
  if (end == held.text.npos && held.may_grow()) return kUnknown;
  if (end != held.text.npos && held.text[end] == '>') {
    const std::string_view inner = held.text.substr(1, end - 1);
    if (inner.starts_with("http://") || inner.starts_with("https://") ||
        inner.starts_with("mailto:")) {
      put({inner, look | kLinkLook, inner});
      return end + 1;
    }
    if (inner == "br" || inner == "br/") {
      put({" ", look});
      return end + 1;
    }
  }
  return put_literal("<", look, put);
}

// Whether these are the first bytes of one character, and more may come.
bool is_begun_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  return text.size() < length && std::ranges::all_of(text.substr(1), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
         });
}

}  // namespace

size_t put_first_inline(std::string_view text, char before, Look look, Rest rest,
                        const PutInline& put) {
  const Held held{text, rest};
  switch (text[0]) {
    case '\\':
      if (text.size() == 1) return rest == Rest::may_come ? kUnknown : 1;  // a break: there is one
      if (!is_mark(text[1])) return put_literal("\\", look, put);
      return 1 + put_literal(text.substr(1, 1), look, put);
    case '`':
      return put_code(held, look, put);
    case '*':
    case '_':
    case '~':
      return put_emphasis(held, before, look, put);
    case '!':
      if (text.size() == 1 && rest == Rest::may_come) return kUnknown;
      if (text.size() == 1 || text[1] != '[') return put_literal("!", look, put);
      return put_link(held, look, put);
    case '[':
      return put_link(held, look, put);
    case '<':
      return put_address(held, look, put);
    default:
      if (rest == Rest::may_come && is_begun_character(text)) return kUnknown;
      return put_literal(text.substr(0, std::max<size_t>(1, char_length(text))), look, put);
  }
}

void put_inline(std::string_view text, Look look, const PutInline& put) {
  char before = ' ';
  while (!text.empty()) {
    const size_t bytes = put_first_inline(text, before, look, Rest::is_all_there, put);
    before = text[bytes - 1];
    text.remove_prefix(bytes);
  }
}

}  // namespace helve::terminal
