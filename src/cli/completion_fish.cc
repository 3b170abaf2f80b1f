#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion.h"

namespace helve::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string at(std::string_view path) { return fmt::format("-n \"__helve_at '{}'\"", path); }

// -x: no files; -r: a value, files welcome.
std::string value_of(const FlagDoc& flag) {
  if (flag.value.empty()) return "";
  if (!flag.choices.empty()) return fmt::format(" -x -a {}", quoted(join(flag.choices, " ")));
  if (flag.completes == Completes::directories) return " -x -a '(__fish_complete_directories)'";
  return flag.completes == Completes::files ? " -r -F" : " -x";
}

void append_flag(std::string& out, const FlagDoc& flag, const std::string& condition) {
  const std::string letter = flag.letter ? fmt::format(" -s {}", flag.letter) : "";
  const std::string head =
      condition.empty() ? "complete -c helve" : "complete -c helve " + condition;
  out += fmt::format("{} -l {}{}{} -d {}\n", head, flag.name.substr(2), letter, value_of(flag),
                     quoted(flag.text));
  if (!flag.negation.empty())
    out +=
        fmt::format("{} -l {} -d {}\n", head, flag.negation.substr(2), quoted(flag.negation_text));
}

void append_place(std::string& out, const OutlinePlace& place) {
  for (const auto& [word, text] : place.words)
    out += fmt::format("complete -c helve {} -a {} -d {}\n", at(place.path), quoted(word),
                       quoted(text));
  for (const FlagDoc& positional : place.positionals) {
    if (!positional.choices.empty()) {
      out += fmt::format("complete -c helve {} -a {}\n", at(place.path),
                         quoted(join(positional.choices, " ")));
    } else if (positional.completes == Completes::files) {
      out += fmt::format("complete -c helve {} -F\n", at(place.path));
    } else if (positional.completes == Completes::directories) {
      out +=
          fmt::format("complete -c helve {} -a '(__fish_complete_directories)'\n", at(place.path));
    }
  }
  for (const FlagDoc& flag : place.flags) append_flag(out, flag, at(place.path));
}

}  // namespace

std::string fish_script(const Outline& outline) {
  std::string skipped, leaves;
  for (const FlagDoc& flag : outline.globals) {
    if (flag.value.empty()) continue;
    skipped += " " + flag.name;
    if (flag.letter) skipped += fmt::format(" -{}", flag.letter);
  }
  for (const OutlinePlace& place : outline.places) {
    if (place.is_leaf()) leaves += " " + quoted(place.path);
  }
  std::string out =
      fmt::format(R"(# Completion of helve for fish; `helve completion fish` writes it.
function __helve_path
    set -l path
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case{}
                set skip 1
            case '-*'
            case '*'
                set -a path $word
                contains -- "$path"{}; and break
        end
    end
    echo "$path"
end
function __helve_at
    test (__helve_path) = "$argv[1]"
end
complete -c helve -f
)",
                  skipped, leaves);
  for (const OutlinePlace& place : outline.places) append_place(out, place);
  for (const FlagDoc& flag : outline.globals) append_flag(out, flag, "");
  return out;
}

}  // namespace helve::cli
