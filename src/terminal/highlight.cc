#include "terminal/highlight.h"

#include <algorithm>

#include "terminal/look.h"

namespace helve::terminal {
namespace {

struct Language {
  std::string_view names;    // each with a blank before and behind it
  std::string_view comment;  // begins one that ends with the line
};
constexpr Language kLanguages[] = {
    {" c cc cpp c++ h hpp java js javascript ts typescript tsx jsx go rust rs swift kotlin cs php ",
     "//"},
    {" sh bash shell zsh py python rb ruby yaml yml toml cmake make makefile dockerfile perl r ",
     "#"},
    {" sql lua haskell hs ", "--"},
};

const Language* language_of(std::string_view name) {
  if (name.empty()) return nullptr;
  const std::string wanted = " " + std::string(name) + " ";
  const auto* found = std::ranges::find_if(kLanguages, [&](const Language& each) {
    return each.names.find(wanted) != std::string::npos;
  });
  return found == std::end(kLanguages) ? nullptr : found;
}

// Behind the string that begins at `at`; `at` itself when it does not end on this line.
size_t string_end(std::string_view line, size_t at) {
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == line[at]) {
      return i + 1;
    }
  }
  return at;
}

}  // namespace

std::string highlighted(std::string_view line, std::string_view language) {
  const Language* known = language_of(language);
  if (known == nullptr) return std::string(line);
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    // Within a word the sign is something else: $#, http://.
    const bool may_be_comment = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t' ||
                                (known->comment == "//" && line[at - 1] != ':');
    if (may_be_comment && rest.starts_with(known->comment)) return out + with_look(dim, rest, true);
    const size_t end = line[at] == '"' || line[at] == '\'' ? string_end(line, at) : at;
    if (end > at) {
      out += with_look(green, line.substr(at, end - at), true);
      at = end;
    } else {
      out += line[at++];
    }
  }
  return out;
}

}  // namespace helve::terminal
