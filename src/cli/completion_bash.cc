#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion.h"

namespace helve::cli {
namespace {

// "--root|-C": the patterns of a flag's spellings, each behind `prefix`.
std::string pattern_of(const FlagDoc& flag, std::string_view prefix) {
  std::string pattern = fmt::format("{}{}", prefix, flag.name);
  if (flag.letter) pattern += fmt::format("|{}-{}", prefix, flag.letter);
  return pattern;
}

std::string names_of(const std::vector<FlagDoc>& flags) {
  std::vector<std::string> names;
  for (const FlagDoc& flag : flags) {
    names.push_back(flag.name);
    if (!flag.negation.empty()) names.push_back(flag.negation);
    if (flag.letter) names.push_back(fmt::format("-{}", flag.letter));
  }
  return join(names, " ");
}

std::string words_of(const OutlinePlace& place) {
  std::vector<std::string> words;
  for (const auto& row : place.words) words.push_back(row.first);
  for (const FlagDoc& positional : place.positionals)
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  return join(words, " ");
}

std::string_view kind_of(Completes completes) {
  return completes == Completes::files         ? "files"
         : completes == Completes::directories ? "directories"
                                               : "";
}

Completes positional_files(const OutlinePlace& place) {
  for (const FlagDoc& positional : place.positionals) {
    if (!kind_of(positional.completes).empty()) return positional.completes;
  }
  return Completes::nothing;
}

// What may follow a flag that takes a value.
void append_values(std::string& out, const std::vector<FlagDoc>& flags, std::string_view prefix) {
  for (const FlagDoc& flag : flags) {
    if (flag.value.empty()) continue;
    out += fmt::format(
        "    {}) words=\"{}\" kind=\"{}\" ;;\n", pattern_of(flag, prefix), join(flag.choices, " "),
        flag.choices.empty() && kind_of(flag.completes).empty() ? "none" : kind_of(flag.completes));
  }
}

constexpr std::string_view kHead =
    R"(# Completion of helve for bash; `helve completion bash` writes it.
_helve() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  # Readline takes the equals sign of --flag=value for a word of its own.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  local path="" skip="" word i words="" kind="" flags=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ -n $skip ]]; then
      [[ $word == "=" ]] || skip=""
      continue
    fi
    case "$word" in
)";

constexpr std::string_view kTail = R"(  esac
  if [[ -n $words || -n $kind ]]; then :
  elif [[ $cur == -* ]]; then words="$flags"
  else words="$places" kind="$files"
  fi
  COMPREPLY=()
  case "$kind" in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    none) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur") ;;
  esac
}
complete -F _helve helve
)";

}  // namespace

std::string bash_script(const Outline& outline) {
  std::string out(kHead);
  for (const FlagDoc& flag : outline.globals) {
    if (!flag.value.empty()) out += fmt::format("      {}) skip=1 ;;\n", pattern_of(flag, ""));
  }
  out +=
      "      -*) ;;\n      *)\n        path=\"${path:+$path }$word\"\n        case \"$path\" in\n";
  for (const OutlinePlace& place : outline.places) {
    if (place.is_leaf()) out += fmt::format("          \"{}\") break ;;\n", place.path);
  }
  out += "        esac ;;\n    esac\n  done\n";
  out += fmt::format("  local places=\"\" files=\"\" globals=\"{}\"\n  case \"$path\" in\n",
                     names_of(outline.globals));
  for (const OutlinePlace& place : outline.places) {
    out += fmt::format("    \"{}\") places=\"{}\" files=\"{}\" flags=\"{}\" ;;\n", place.path,
                       words_of(place), kind_of(positional_files(place)), names_of(place.flags));
  }
  out += "  esac\n  flags=\"$flags $globals\"\n  case \"$path:$prev\" in\n";
  for (const OutlinePlace& place : outline.places)
    append_values(out, place.flags, fmt::format("\"{}\":", place.path));
  append_values(out, outline.globals, "*:");
  out += kTail;
  return out;
}

}  // namespace helve::cli
