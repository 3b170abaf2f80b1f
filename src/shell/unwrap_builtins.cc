// Builtins that change what later commands mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shell/parser.h"
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

// Whether a format has a %n, with whatever may stand between.
bool may_set_a_variable(std::string_view format) {
  for (size_t at = format.find('%'); at != format.npos; at = format.find('%', at)) {
    at = format.find_first_not_of("-+ #'0123456789*.hjlLqtz", at + 1);
    if (at == format.npos) return false;
    if (format[at] == 'n') return true;
    if (format[at] == '%') ++at;
  }
  return false;
}

// The value of an array that is not written as one, in parentheses without quotes, is read and
// expanded once more: declare -a 'x=($(command))' runs the command. What else is an array cannot be
// known: bash has its own, shells that stay keep theirs, and x[0]=1 makes one in many ways.
bool expands_again(const Word& word, size_t equals, bool may_be_array) {
  const std::string_view value =
      std::string_view(word.text).substr(std::min(equals + 1, word.text.size()));
  if (!word.quoted && !word.literal() && value.starts_with('(')) return false;
  if (word.literal()) return value.starts_with('(');
  const std::string_view known = std::string_view(word.head).substr(equals + 1);
  return known.starts_with('(') || (may_be_array && known.empty());
}

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
    analysis_.goes = analysis_.moves = true;
  } else if (name == "jobs" && words(spot).size() > 2) {
    runs_unseen(spot, "jobs -x runs a command");
  } else if (name == "wait") {
    wait(spot);
  } else if (name == "printf") {
    formatted_print(spot);
  } else if (name == "test" || name == "[") {
    test(spot);
  } else {
    return false;
  }
  return true;
}

void Unwrapper::declare(Spot spot, std::string_view name) {
  bool exports = name == "export";
  // Without -a, the other two take an array's value as it is.
  bool arrays = name != "export" && name != "readonly";
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
    // Other shells split what they do not know for an assignment.
    if (word.several && spot.reader != Reader::bash)
      return doubt(spot, "the name of a variable varies");
    if (equals != text.npos && expands_again(word, equals, arrays))
      return doubt(spot, fmt::format("{} expands an array again", name));
    Assignment assignment{.name = std::string(text.substr(0, equals)), .value = word};
    if (equals != text.npos && word.literal()) assignment.value.text.erase(0, equals + 1);
    // It has whatever value it had before.
    if (equals == text.npos) assignment.value.varies = Varies::parameter;
    const Influence influence = influence_of(assignment.name, assignment.value);
    if (influence == Influence::runs)
      return doubt(spot, fmt::format("{} decides what runs", assignment.name));
    if (influence == Influence::unknown) found.push_back(std::move(assignment));
  }
  if (!exports) std::erase_if(found, [&](const auto& each) { return !is_exported(each.name); });
  if (!found.empty()) analysis_.segments[spot.segment].exports = true;
  add_exported(spot, std::move(found));
}

// Options that stop or show commands change none of them.
void Unwrapper::set(Spot spot) {
  for (size_t i = 1; i < words(spot).size(); ++i) {
    const Word& word = words(spot)[i];
    if (!word.literal() && may_be_option(word)) return doubt(spot, "the options of set vary");
    const std::string_view text = word.text;
    if (text.empty() || (text[0] != '-' && text[0] != '+') || text == "--" || text == "-") return;
    // Each o takes a word of its own.
    if (text.substr(1).find_first_not_of("euxfvCEo") != text.npos ||
        std::ranges::count(text, 'o') > 1)
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
    if (is_exported(name)) doubt(spot, fmt::format("the value of {}, which is exported", name));
  }
}

// -v takes the name of a variable, in which a subscript is evaluated. Where words may turn out to
// be several, so may anything be the operator.
void Unwrapper::test(Spot spot) {
  const Words all = words(spot);
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i].several && !is_number(all[i])) return doubt(spot, "what is tested varies");
    const bool may_be_operator =
        all[i].literal() ? all[i].text == "-v" : std::string_view("-v").starts_with(all[i].head);
    if (!may_be_operator || is_number(all[i]) || i + 1 == all.size()) continue;
    const Word& name = all[i + 1];
    if (!name.literal() || name.text.find('[') != std::string::npos)
      return doubt(spot, "the name of a variable varies");
  }
}

// It sets the variables that -v and %n name.
void Unwrapper::formatted_print(Spot spot) {
  const Words all = words(spot);
  if (all.size() > 1 && may_be_option(all[1]) && all[1].text != "--") names_variables(spot, 1);
  size_t format = 1;
  if (all.size() > 2 && all[1].text == "-v") ++format;
  if (all.size() > 2 && all[1].text.starts_with("-v")) ++format;
  if (format < all.size() && all[format].literal() && all[format].text == "--") ++format;
  if (format < all.size() && (!all[format].literal() || may_set_a_variable(all[format].text)))
    doubt(spot, "what printf writes may be a variable");
}

// -p takes the name of a variable.
void Unwrapper::wait(Spot spot) {
  for (const Word& word : words(spot).subspan(1)) {
    if (!word.literal() && may_be_option(word) && !is_number(word))
      return doubt(spot, "the options of wait vary");
    if (word.literal() && word.text.starts_with('-') && word.text.find('p') != std::string::npos)
      return names_variables(spot, 1);
  }
}

}  // namespace helve::shell
