#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/completion.h"

namespace helve::cli {
namespace {

// Text inside a single-quoted specification of _arguments or _describe, where brackets and colons
// mean something.
std::string specified(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const FlagDoc& doc) {
  if (!doc.choices.empty()) return fmt::format("({})", join(doc.choices, " "));
  switch (doc.completes) {
    case Completes::files:
      return "_files";
    case Completes::directories:
      return "_files -/";
    default:
      return " ";
  }
}

// '*--add-dir=[Another directory]:DIR:_files -/'
std::string flag_spec(const FlagDoc& flag) {
  std::string tail = fmt::format("[{}]", specified(flag.text));
  if (!flag.value.empty()) tail += fmt::format(":{}:{}", specified(flag.value), action_of(flag));
  const std::string_view many = flag.repeats ? "*" : "";
  const std::string_view equals = flag.value.empty() ? "" : "=";
  std::string out = fmt::format("'{}{}{}{}'", many, flag.name, equals, tail);
  if (flag.letter) out += fmt::format(" '{}-{}{}'", many, flag.letter, tail);
  if (!flag.negation.empty())
    out += fmt::format(" '{}[{}]'", flag.negation, specified(flag.negation_text));
  return out;
}

std::string arguments_of(const OutlinePlace& place) {
  std::string out = "_arguments";
  for (const FlagDoc& flag : place.flags) out += " \\\n        " + flag_spec(flag);
  for (size_t i = 0; i < place.positionals.size(); ++i) {
    const FlagDoc& doc = place.positionals[i];
    const std::string where = doc.repeats ? "*" : std::to_string(i + 1) + (doc.required ? "" : ":");
    out += fmt::format(" \\\n        '{}:{}:{}'", where, specified(doc.name), action_of(doc));
  }
  return out + " \\\n        $globals";
}

std::string described(const Rows& words) {
  std::string out = "local -a choices; choices=(";
  for (const auto& [word, text] : words)
    out += fmt::format("\n      '{}:{}'", specified(word), specified(text));
  return out + ")";
}

std::string function_of(std::string_view path) {
  std::string name = "_helve_" + std::string(path);
  for (char& c : name) {
    if (c == '-' || c == ' ') c = '_';
  }
  return name;
}

// A function for a place that words follow: offers them, then goes on to the place that was chosen.
void append_branch(std::string& out, const OutlinePlace& place, const Outline& outline,
                   std::string_view function) {
  out += fmt::format(
      "{}() {{\n  local state line; typeset -A opt_args\n  _arguments -C '1: :->word' '*:: "
      ":->rest' $globals\n",
      function);
  out += fmt::format(
      "  if [[ $state == word ]]; then\n    {}\n    _describe word choices\n    return\n  fi\n",
      described(place.words));
  out += "  case $line[1] in\n";
  for (const auto& row : place.words) {
    const std::string path = place.path.empty() ? row.first : place.path + " " + row.first;
    const auto next = std::ranges::find(outline.places, path, &OutlinePlace::path);
    if (next == outline.places.end()) continue;
    out += fmt::format("    {})\n      {} ;;\n", row.first,
                       next->is_leaf() ? arguments_of(*next) : function_of(path));
  }
  out += "  esac\n}\n";
}

}  // namespace

std::string zsh_script(const Outline& outline) {
  std::string out =
      "#compdef helve\n# Completion of helve for zsh; `helve completion zsh` writes it.\n";
  for (const OutlinePlace& place : outline.places) {
    if (!place.is_leaf() && !place.path.empty())
      append_branch(out, place, outline, function_of(place.path));
  }
  append_branch(out, outline.places.front(), outline, "_helve_words");
  out += "_helve() {\n  local -a globals\n  globals=(";
  for (const FlagDoc& flag : outline.globals) out += "\n    " + flag_spec(flag);
  out += "\n  )\n  _helve_words\n}\n";
  // Loaded from $fpath the file itself is the function; sourced, it has to be registered.
  out += "if [[ $funcstack[1] == _helve ]]; then _helve \"$@\"; else compdef _helve helve; fi\n";
  return out;
}

}  // namespace helve::cli
