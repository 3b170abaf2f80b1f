#include "terminal/completion.h"

namespace helve::terminal {

CompletionWord word_at(std::string_view text, size_t cursor) {
  using Kind = CompletionWord::Kind;
  text = text.substr(0, cursor);
  constexpr std::string_view kBlanks = " \t\n";
  // A quoted name may hold blanks, so its beginning is looked for first.
  const size_t quoted = text.rfind("@\"");
  if (quoted != text.npos && text.find('"', quoted + 2) == text.npos &&
      text.find('\n', quoted) == text.npos)
    return {Kind::file, quoted, text.substr(quoted + 2)};
  const size_t blank = text.find_last_of(kBlanks);
  const size_t start = blank == text.npos ? 0 : blank + 1;
  const std::string_view word = text.substr(start);
  if (word.starts_with('@')) return {Kind::file, start, word.substr(1)};
  if (start == 0 && word.starts_with('/')) return {Kind::command, start, word.substr(1)};
  return {};
}

std::string file_reference(std::string_view name) {
  const bool has_blank = name.find(' ') != name.npos;
  return std::string(has_blank ? "@\"" : "@").append(name).append(has_blank ? "\"" : "");
}

}  // namespace helve::terminal
