#include "shell/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "shell/effect.h"
#include "shell/parse.h"
#include "shell/variables.h"

namespace helve::shell {
namespace {

enum class Breadth : unsigned char { narrow, broad };

Error wrong(std::string_view text, std::string_view why, std::string_view hint) {
  return Error{Code::invalid_argument,
               fmt::format("the pattern '{}' {}", preview(escape_for_display(text), 100), why),
               std::string(hint), "invalid_rule"};
}

bool is_wild(const Word& pattern, size_t at) {
  return std::ranges::binary_search(pattern.wild, static_cast<std::uint32_t>(at));
}

bool is_any(const Word& word) { return word.wild.size() == 1 && word.text == "*"; }

// Holds a text against a word with wild characters, by backtracking to the last star only.
class WordMatcher {
 public:
  WordMatcher(const Word& pattern, std::string_view text, Breadth breadth)
      : pattern_(pattern), text_(text), narrow_(breadth == Breadth::narrow) {}

  bool matches() {
    size_t p = 0, t = 0, star = std::string::npos, resume = 0;
    while (t < text_.size()) {
      if (p < size() && is_wild(pattern_, p) && at(p) == '*') {
        star = p;
        while (p < size() && is_wild(pattern_, p) && at(p) == '*') ++p;
        resume = t;
      } else if (p < size() && one(p, t)) {
        ++p;
        ++t;
      } else if (star != std::string::npos && may_skip(resume, star)) {
        t = ++resume;
        for (p = star; p < size() && is_wild(pattern_, p) && at(p) == '*';) ++p;
      } else {
        return false;
      }
    }
    while (p < size() && is_wild(pattern_, p) && at(p) == '*') ++p;
    return p == size() && !(narrow_ && !pattern_.wild.empty() && escapes());
  }

 private:
  size_t size() const { return pattern_.text.size(); }
  char at(size_t p) const { return pattern_.text[p]; }

  bool one(size_t p, size_t t) const {
    if (!is_wild(pattern_, p)) return at(p) == text_[t];
    return !narrow_ || (text_[t] != '/' && !(t == 0 && text_[t] == '-'));
  }

  bool may_skip(size_t t, size_t star) const {
    if (!narrow_) return true;
    if (t == 0 && text_[t] == '-') return false;
    const bool twice = star + 1 < size() && is_wild(pattern_, star + 1) && at(star + 1) == '*';
    return twice || text_[t] != '/';
  }

  // Whether the text has a . or .. in its path that the pattern does not write itself.
  bool escapes() const {
    const auto names_here = [](std::string_view path) {
      return std::ranges::count(split(path, '/'), ".");
    };
    return climbs(text_) > climbs(pattern_.text) || names_here(text_) > names_here(pattern_.text);
  }

  // How often it goes up: by a .. that no name goes on behind, whatever stands before it (-I../x).
  static size_t climbs(std::string_view path) {
    constexpr std::string_view kInNames =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    size_t count = 0;
    for (size_t at = path.find(".."); at != path.npos; at = path.find("..", at + 1)) {
      if (at + 2 == path.size() || !kInNames.contains(path[at + 2])) ++count;
    }
    return count;
  }

  const Word& pattern_;
  std::string_view text_;
  bool narrow_;
};

bool word_matches(const Word& pattern, std::string_view text, Breadth breadth) {
  if (pattern.wild.empty()) return pattern.text == text;
  return WordMatcher(pattern, text, breadth).matches();
}

bool name_matches(const Word& pattern, const Word& name, Breadth breadth) {
  if (word_matches(pattern, name.text, breadth)) return true;
  const std::string_view program =
      breadth == Breadth::narrow ? program_of(name)
                                 : std::string_view(name.text).substr(name.text.rfind('/') + 1);
  return !program.empty() && word_matches(pattern, program, breadth);
}

// Whether what a varying word begins with may become what the pattern says.
bool may_match(const Word& pattern, const Word& word) {
  const size_t fixed = pattern.wild.empty() ? pattern.text.size() : pattern.wild[0];
  const std::string_view start = std::string_view(pattern.text).substr(0, fixed);
  return start.starts_with(word.head) || (!pattern.wild.empty() && word.head.starts_with(start));
}

Match words_match(const Pattern& pattern, const std::vector<Word>& words) {
  Match found = Match::yes;
  size_t i = 0;
  for (const Word& wanted : pattern.command.words) {
    if (i >= words.size()) return Match::no;
    const Word& word = words[i];
    if (!word.literal()) {
      if (is_any(wanted) && !word.several) {
      } else if (!may_match(wanted, word)) {
        return Match::no;
      } else {
        found = Match::maybe;
        // From here on nobody knows which word is which.
        if (word.several) return Match::maybe;
      }
    } else if (!(i == 0 ? name_matches(wanted, word, Breadth::broad)
                        : word_matches(wanted, word.text, Breadth::broad))) {
      return Match::no;
    }
    ++i;
  }
  if (i == words.size() || pattern.more) return found;
  const bool rest_may_vanish =
      std::all_of(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
                  [](const Word& word) { return word.several; });
  return rest_may_vanish ? Match::maybe : Match::no;
}

bool allows_words(const Pattern& pattern, const Segment& segment) {
  const std::vector<Word>& words = segment.command.words;
  const std::vector<Word>& wanted = pattern.command.words;
  if (words.size() < wanted.size() || (words.size() > wanted.size() && !pattern.more)) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!(i == 0 ? name_matches(wanted[i], words[i], Breadth::narrow)
                 : word_matches(wanted[i], words[i].text, Breadth::narrow)))
      return false;
  }
  if (!std::ranges::all_of(words, &Word::literal)) return false;
  if (words.size() == wanted.size()) return true;
  if (segment.inner != Segment::kNone && wanted.size() <= segment.inner) return false;
  const size_t stronger = effect_of_words(segment.command).because_of;
  return stronger == Segment::kNone || stronger < wanted.size();
}

bool allows_environment(const Pattern& pattern, const Command& command) {
  size_t next = 0;
  const std::vector<Assignment>& wanted = pattern.command.assignments;
  for (const Assignment& assignment : command.assignments) {
    if (next < wanted.size() && wanted[next].name == assignment.name &&
        assignment.value.literal() &&
        word_matches(wanted[next].value, assignment.value.text, Breadth::narrow)) {
      ++next;
    } else if (influence_of(assignment.name, assignment.value) != Influence::none) {
      return false;
    }
  }
  return next == wanted.size();
}

bool redirects(const Redirection& wanted, const Redirection& redirection, Breadth breadth) {
  return wanted.kind == redirection.kind && redirection.target.literal() &&
         word_matches(wanted.target, redirection.target.text, breadth);
}

bool names(const Pattern& pattern, const Redirection& redirection) {
  return std::ranges::any_of(pattern.command.redirections, [&](const Redirection& wanted) {
    return redirects(wanted, redirection, Breadth::narrow);
  });
}

// Those of the pattern are the ones that the command has.
bool allows_redirections(const Pattern& pattern, const Command& command) {
  const auto present = [&](const Redirection& wanted) {
    return std::ranges::any_of(command.redirections, [&](const Redirection& redirection) {
      return redirects(wanted, redirection, Breadth::narrow);
    });
  };
  return std::ranges::all_of(pattern.command.redirections, present) &&
         std::ranges::all_of(command.redirections, [&](const Redirection& redirection) {
           return (!redirection.writes() && !redirection.may_connect()) ||
                  names(pattern, redirection);
         });
}

// What a program reads that is not known may be what it runs.
bool allows_input(const Pattern& pattern, const Command& command) {
  if (pattern.more || !command.takes_input()) return true;
  if (effect_of_words(command).effect != Effect::execute) return true;
  return !command.fed && names_input(pattern, command) &&
         std::ranges::none_of(command.redirections, &Redirection::is_text);
}

Match redirections_match(const Pattern& pattern, const Command& command) {
  Match found = Match::yes;
  for (const Redirection& wanted : pattern.command.redirections) {
    Match best = Match::no;
    for (const Redirection& redirection : command.redirections) {
      if (redirects(wanted, redirection, Breadth::broad)) best = Match::yes;
      if (best == Match::no && wanted.kind == redirection.kind && !redirection.target.literal() &&
          may_match(wanted.target, redirection.target))
        best = Match::maybe;
    }
    found = std::min(found, best);
  }
  return found;
}

bool has_assignments(const Pattern& pattern, const Command& command) {
  return std::ranges::all_of(pattern.command.assignments, [&](const Assignment& wanted) {
    return std::ranges::any_of(command.assignments, [&](const Assignment& assignment) {
      return assignment.name == wanted.name &&
             (!assignment.value.literal() ||
              word_matches(wanted.value, assignment.value.text, Breadth::broad));
    });
  });
}

// Only what a pattern can mean: known words, and * and ? in them.
bool is_plain(const Word& word) {
  if (word.literal()) return true;
  return word.varies == Varies::glob &&
         std::ranges::none_of(word.wild, [&](std::uint32_t at) { return word.text[at] == '['; });
}

bool is_plain(const Command& command) {
  const auto plain = [](const Word& word) { return is_plain(word); };
  return std::ranges::all_of(command.words, plain) &&
         std::ranges::all_of(command.assignments, plain, &Assignment::value) &&
         std::ranges::all_of(command.redirections, plain, &Redirection::target);
}

}  // namespace

Result<Pattern> read_pattern(std::string_view text) {
  if (text.size() > kMaxPattern)
    return wrong(text, fmt::format("is longer than {} bytes", kMaxPattern), "write a shorter one");
  Script script = parse(text);
  if (!script.unknowns.empty())
    return wrong(text, fmt::format("cannot be read: {}", script.unknowns[0].reason),
                 "quote what stands for itself, as in a shell");
  if (script.commands.size() != 1 || !script.functions.empty())
    return wrong(text, "is not one command", "write one rule for each command");
  // Else `time *` would be a bare `*`.
  if (!script.only_simple)
    return wrong(text, "has more than the words of a command",
                 "leave out `time`, `!`, grouping and `&`: rules see what they stand around");
  Pattern pattern{.command = std::move(script.commands[0])};
  if (!is_plain(pattern.command))
    return wrong(text, "has words that vary", "only * and ? stand for others; quote the rest");
  std::vector<Word>& words = pattern.command.words;
  if (!words.empty() && is_any(words.back())) {
    pattern.more = true;
    words.pop_back();
  }
  return pattern;
}

bool allows(const Pattern& pattern, const Segment& segment) {
  return allows_words(pattern, segment) && allows_environment(pattern, segment.command) &&
         allows_redirections(pattern, segment.command) && allows_input(pattern, segment.command);
}

bool names_input(const Pattern& pattern, const Command& command) {
  return std::ranges::all_of(command.redirections, [&](const Redirection& redirection) {
    return !redirection.reads() || names(pattern, redirection);
  });
}

Match concerns(const Pattern& pattern, const Segment& segment) {
  // A pattern of redirections alone is about any command that has them.
  const bool any_words = pattern.command.words.empty() && !pattern.more;
  const Match words = any_words ? Match::yes : words_match(pattern, segment.command.words);
  if (words == Match::no || !has_assignments(pattern, segment.command)) return Match::no;
  return std::min(words, redirections_match(pattern, segment.command));
}

}  // namespace helve::shell
