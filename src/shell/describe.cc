#include "shell/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace helve::shell {
namespace {

std::string shown_word(const Word& word, bool first) {
  return word.literal() ? quoted_word(word.text, first) : escape_for_display(word.text);
}

}  // namespace

std::string quoted_word(std::string_view word, bool first) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-";
  constexpr std::array<std::string_view, 13> kReserved{"if",    "then", "else", "elif", "fi",
                                                       "do",    "done", "case", "esac", "while",
                                                       "until", "for",  "time"};
  const size_t odd = word.find_first_not_of(kPlain);
  const bool plain = odd == word.npos || (word[odd] == '=' && !first &&
                                          word.find_first_not_of(kPlain, odd + 1) == word.npos);
  const bool reserved = first && std::ranges::find(kReserved, word) != kReserved.end();
  return plain && !reserved && !word.empty() ? std::string(word) : shell_quoted(word);
}

std::string describe(const Redirection& redirection) {
  constexpr std::array<std::string_view, 7> kOperators{"<", ">", ">>", "<>", ">&", "<<", "<<<"};
  return fmt::format("{} {}", kOperators[static_cast<size_t>(redirection.kind)],
                     shown_word(redirection.target, false));
}

std::string describe(const Command& command) {
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!text.empty()) text += ' ';
    text += part;
  };
  for (const Assignment& assignment : command.assignments)
    add(fmt::format("{}={}", assignment.name,
                    assignment.value.literal() ? quoted_word(assignment.value.text, false) : "…"));
  for (const Word& word : command.words) {
    add(shown_word(word, &word == &command.words[0]));
    if (text.size() > 4 * kMaxShown) break;
  }
  for (const Redirection& redirection : command.redirections) add(describe(redirection));
  return preview(text, kMaxShown);
}

}  // namespace helve::shell
