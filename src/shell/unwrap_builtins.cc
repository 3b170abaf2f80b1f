// Builtins that change what later commands mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shell/unwrapper.h"
#include "shell/variables.h"

namespace helve::shell {
namespace {

constexpr std::array<std::string_view, 5> kDeclaring{"export", "declare", "typeset", "local",
                                                     "readonly"};
// They may change how the rest of the script is read, or what names stand for.
constexpr std::array<std::string_view, 6> kChanging{"shopt", "enable", "bind",
                                                    "fc",    "let",    "unalias"};
constexpr std::array<std::string_view, 5> kNaming{"read", "mapfile", "readarray", "getopts",
                                                  "unset"};

}  // namespace

bool Unwrapper::changing_builtin(Spot spot, std::string_view name) {
  if (is_one_of(kDeclaring, name)) {
    declare(spot, name);
  } else if (is_one_of(kChanging, name) || (name == "hash" && words(spot).size() > 2)) {
    doubt(spot, fmt::format("{} changes what commands mean", name));
  } else if (is_one_of(kNaming, name)) {
    const bool maps = name == "mapfile" || name == "readarray";
    const auto calls = [](const Word& word) {
      return word.text.starts_with('-') && word.text.find('C') != std::string::npos;
    };
    if (maps && std::ranges::any_of(words(spot), calls))
      return runs_unseen(spot, "a command is run for the lines"), true;
    names_variables(spot, 1);
  } else if (name == "set") {
    set(spot);
  } else if (name == "cd" || name == "pushd" || name == "popd") {
    analysis_.moves = true;
  } else if (name == "jobs" && words(spot).size() > 2) {
    runs_unseen(spot, "jobs -x runs a command");
  } else if (name == "wait") {
    for (size_t i = 1; i + 1 < words(spot).size(); ++i) {
      if (words(spot)[i].text.starts_with('-') && words(spot)[i].text.ends_with('p'))
        names_variables(spot, i + 1);
    }
  } else if (name == "printf" && words(spot).size() > 1 && may_be_option(words(spot)[1])) {
    const Word& word = words(spot)[1];
    if (!word.literal() || word.text.starts_with("-v")) names_variables(spot, 1);
  } else if (name == "test" || name == "[") {
    for (size_t i = 1; i + 1 < words(spot).size(); ++i) {
      if (words(spot)[i].text == "-v") names_variables(spot, i + 1);
    }
  } else {
    return false;
  }
  return true;
}

// The value of an array that is not written as one, in parentheses without quotes, is read and
// expanded once more: declare -a 'x=($(command))' runs the command.
bool Unwrapper::expands_again(const Word& word, size_t equals, bool array) const {
  const std::string_view value =
      std::string_view(word.text).substr(std::min(equals + 1, word.text.size()));
  if (!word.quoted && !word.literal() && value.starts_with('(')) return false;
  array = array || std::ranges::find(arrays_, std::string_view(word.head).substr(0, equals)) !=
                       arrays_.end();
  if (word.literal()) return value.starts_with('(');
  const std::string_view known = std::string_view(word.head).substr(equals + 1);
  return known.starts_with('(') || (array && known.empty());
}

void Unwrapper::declare(Spot spot, std::string_view name) {
  bool exports = name == "export";
  bool arrays = false;
  std::vector<Assignment> found;
  for (const Word& word : words(spot).subspan(1)) {
    const std::string_view text = word.literal() ? word.text : word.head;
    if (text.starts_with('-') || text.starts_with('+')) {
      if (text.find_first_not_of("-+aArxgpluFf") != text.npos || !word.literal())
        return doubt(spot, fmt::format("an option of {} that is not known", name));
      exports = exports || text.find('x') != text.npos;
      arrays = arrays || text.find_first_of("aA") != text.npos;
      continue;
    }
    const size_t equals = text.find('=');
    if ((equals == text.npos && !word.literal()) || text.substr(0, equals).find('[') != text.npos)
      return doubt(spot, "the name of a variable varies");
    if (equals != text.npos && expands_again(word, equals, arrays))
      return doubt(spot, fmt::format("{} expands an array again", name));
    Assignment assignment{.name = std::string(text.substr(0, equals)), .value = word};
    if (equals != text.npos && word.literal()) assignment.value.text.erase(0, equals + 1);
    const Influence influence = influence_of(assignment.name, assignment.value);
    if (influence == Influence::runs)
      return doubt(spot, fmt::format("{} decides what runs", assignment.name));
    if (influence == Influence::unknown) found.push_back(std::move(assignment));
  }
  if (exports && exported_.size() < kMaxDepth)
    std::ranges::move(found, std::back_inserter(exported_));
  else if (exports && !found.empty())
    doubt(spot, "too many variables are exported");
}

// Options that stop or show commands change none of them.
void Unwrapper::set(Spot spot) {
  for (size_t i = 1; i < words(spot).size(); ++i) {
    const Word& word = words(spot)[i];
    if (!word.literal() && may_be_option(word)) return doubt(spot, "the options of set vary");
    const std::string_view text = word.text;
    if (text.empty() || (text[0] != '-' && text[0] != '+') || text == "--" || text == "-") return;
    if (text.substr(1).find_first_not_of("euxfvCEo") != text.npos)
      return doubt(spot, "set changes how the shell works");
    if (text.find('o') == text.npos) continue;
    constexpr std::array<std::string_view, 7> kPlain{"pipefail",  "errexit", "nounset", "xtrace",
                                                     "noclobber", "noglob",  "verbose"};
    if (++i < words(spot).size() && !is_one_of(kPlain, words(spot)[i].text))
      return doubt(spot, "set changes how the shell works");
  }
}

// Words that may be names of variables: which they are must be known, and harmless.
void Unwrapper::names_variables(Spot spot, size_t from) {
  for (const Word& word : words(spot).subspan(from)) {
    if (!word.literal() || word.text.find('[') != std::string::npos)
      return doubt(spot, "the name of a variable varies");
    std::string_view name = word.text;
    if (name.starts_with("-v")) name.remove_prefix(2);
    if (influence_of(name, word) == Influence::runs)
      return doubt(spot, fmt::format("{} decides what runs", name));
    if (arrays_.size() < kMaxCommands) arrays_.emplace_back(name);  // as read -a and mapfile do
  }
}

}  // namespace helve::shell
