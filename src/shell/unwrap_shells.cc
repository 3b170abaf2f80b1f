// Shells, and the builtins that read scripts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shell/unwrapper.h"

namespace helve::shell {
namespace {

constexpr std::array<std::string_view, 14> kShells{"bash", "sh",   "dash", "ash",  "rbash",
                                                   "zsh",  "ksh",  "mksh", "lksh", "fish",
                                                   "csh",  "tcsh", "rc",   "pwsh"};

// Letters that change nothing about which commands are seen.
constexpr std::string_view kPlainLetters = "eluvxfCEhB";

constexpr std::array<std::string_view, 6> kPlainLong{"--norc",  "--noprofile", "--login",
                                                     "--posix", "--verbose",   "--noediting"};

struct ShellOptions {
  bool script = false;  // -c
  bool known = true;
  size_t operand = 1;  // the word behind the options
};

// A cluster of letters, some of which take the next word.
bool read_cluster(std::span<const Word> words, ShellOptions& found) {
  const std::string_view letters = std::string_view(words[found.operand].text).substr(1);
  size_t values = 0;
  for (const char letter : letters) {
    if (letter == 'c') {
      found.script = true;
    } else if (letter == 'o') {
      ++values;
    } else if (kPlainLetters.find(letter) == kPlainLetters.npos) {
      return false;
    }
  }
  for (; values > 0; --values) {
    constexpr std::array<std::string_view, 6> kPlain{"pipefail", "errexit", "nounset",
                                                     "xtrace",   "noglob",  "verbose"};
    if (++found.operand >= words.size() || !words[found.operand].literal() ||
        !is_one_of(kPlain, words[found.operand].text))
      return false;
  }
  return true;
}

ShellOptions read_options(std::span<const Word> words) {
  ShellOptions found;
  for (; found.operand < words.size(); ++found.operand) {
    const Word& word = words[found.operand];
    if (!word.literal()) {
      found.known = !may_be_option(word);
      return found;
    }
    if (word.text == "--" || word.text == "-") {
      ++found.operand;
      return found;
    }
    if (word.text.empty() || (word.text[0] != '-' && word.text[0] != '+')) return found;
    if (is_one_of(kPlainLong, word.text)) continue;
    if (word.text.starts_with("--") || !read_cluster(words, found)) {
      found.known = false;
      // What a script behind it runs is still found.
      found.script = !word.text.starts_with("--") && word.text.find('c') != std::string::npos;
      ++found.operand;
      return found;
    }
  }
  return found;
}

}  // namespace

bool Unwrapper::shell_wrapper(Spot spot, std::string_view name) {
  if (is_one_of(kShells, name)) {
    shell_program(spot, name);
  } else if (name == "eval") {
    eval(spot);
  } else if (name == "trap") {
    trap(spot);
  } else if (name == "alias") {
    alias(spot);
  } else if (name == "source" || name == ".") {
    runs_unseen(spot, fmt::format("{} runs the commands of a file", name));
  } else if (name == "watch") {
    runs_unseen(spot, "watch runs commands again and again");
  } else {
    return false;
  }
  return true;
}

void Unwrapper::shell_program(Spot spot, std::string_view name) {
  const ShellOptions options = read_options(words(spot));
  const bool posix = name == "sh" || name == "dash" || name == "ash";
  const bool readable = posix || name == "bash" || name == "rbash";
  if (!readable) runs_unseen(spot, fmt::format("{} reads scripts in its own way", name));
  if (!options.known) runs_unseen(spot, fmt::format("an option of {} that is not known", name));
  const Reader reader = posix ? Reader::any_shell : Reader::bash;
  if (!options.script) return shell_without_script(spot, options.operand, reader);
  if (options.operand >= words(spot).size()) return runs_unseen(spot, "-c without a script");
  const Word& script = words(spot)[options.operand];
  if (!script.literal())
    return runs_unseen(spot, fmt::format("the script that {} runs varies", name));
  runs_text(spot, options.operand, script.text, readable && options.known, reader);
}

// The name of a file is like that of a program. Without one the script is read, perhaps from a
// here-document that is known.
void Unwrapper::shell_without_script(Spot spot, size_t operand, Reader reader) {
  mark(spot, words(spot).size() - 1, false);
  if (operand < words(spot).size()) return;
  const std::vector<Redirection> redirections = command(spot).redirections;
  for (const Redirection& redirection : redirections) {
    if (redirection.kind == Redirection::Kind::here_doc ||
        redirection.kind == Redirection::Kind::here_string)
      runs_text(spot, words(spot).size() - 1, redirection.target.text, false, reader);
  }
  doubt(spot, "a shell runs what it reads");
}

void Unwrapper::eval(Spot spot) {
  const bool separated =
      words(spot).size() > 1 && words(spot)[1].literal() && words(spot)[1].text == "--";
  const size_t first = separated ? 2 : 1;
  std::string script;
  for (const Word& word : words(spot).subspan(first)) {
    if (!word.literal()) return runs_unseen(spot, "what eval runs varies");
    script += word.text + ' ';
  }
  if (words(spot).size() > first) runs_text(spot, first, script, true, spot.reader);
}

void Unwrapper::trap(Spot spot) {
  if (words(spot).size() < 3) return;  // lists or resets
  const size_t at = words(spot)[1].literal() && words(spot)[1].text == "--" ? 2 : 1;
  const Word& script = words(spot)[at];
  if (!script.literal()) return runs_unseen(spot, "what trap runs varies");
  if (script.text == "-" || script.text == "-l" || script.text == "-p") return;
  runs_text(spot, at, script.text, true, spot.reader);
}

void Unwrapper::alias(Spot spot) {
  if (words(spot).size() < 2) return;
  runs_unseen(spot, "alias gives a name to another command");
  for (size_t i = 1; i < words(spot).size(); ++i) {
    const std::string text = words(spot)[i].text;
    const size_t equals = text.find('=');
    if (equals == text.npos) continue;
    shadowed_.insert(text.substr(0, equals));
    if (words(spot)[i].literal())
      runs_text(spot, i, std::string_view(text).substr(equals + 1), false, spot.reader);
  }
}

}  // namespace helve::shell
