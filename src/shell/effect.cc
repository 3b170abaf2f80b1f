#include "shell/effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "shell/describe.h"
#include "shell/programs.h"
#include "shell/variables.h"

namespace helve::shell {
namespace {

constexpr WordEffect anything(size_t because_of = Segment::kNone) {
  return {.effect = Effect::execute, .because_of = because_of};
}

// From the words behind the name of the program or its subcommand.
WordEffect judge_words(const Program& program, std::span<const Word> words, size_t from) {
  WordEffect found{.effect = program.effect, .writes = program.writes()};
  size_t operands = 0;
  bool options_over = false;
  for (size_t at = from; at < words.size();) {
    const size_t here = at;
    if (program.name == "find" && words[at].literal() && words[at].text == "-exec") {
      // Its words are judged as the command that they are.
      at = std::min(end_of_exec(words, at) + 1, words.size());
      continue;
    }
    Read read = options_over ? Read::operand : read_option(words, at, program.options);
    if (read == Read::unknown) {
      read = read_option(words, at, program.writing);
      if (read != Read::option) return anything(here);
      found.writes = true;
      if (found.effect == Effect::read) found = {Effect::write, true, here};
    }
    if (read == Read::separator) options_over = true;
    if (read != Read::operand) continue;
    const bool counted = program.operands != Program::kAnyNumber;
    if (++operands > program.operands || (counted && words[here].several)) return anything(here);
    at = here + 1;
  }
  if (program.lists && operands == 0) return {};
  return found;
}

WordEffect judge(const Program& program, std::span<const Word> words, size_t from) {
  if (program.any) return {.effect = program.effect, .writes = program.writes()};
  if (program.suspect != nullptr) {
    const size_t suspect = program.suspect(words);
    if (suspect != Segment::kNone) return anything(suspect);
  }
  return judge_words(program, words, from);
}

// Options of git before the subcommand that leave everything else as it is.
size_t subcommand_of_git(std::span<const Word> words) {
  size_t at = 1;
  for (; at < words.size() && words[at].literal() && words[at].text.starts_with('-'); ++at) {
    const std::string& text = words[at].text;
    if (text == "-c") {
      ++at;  // only harmless settings get here: unwrap.h doubts the others
    } else if (text != "--no-pager" && text != "-P" && text != "--no-optional-locks" &&
               text != "--literal-pathspecs") {
      break;
    }
  }
  return at;
}

// Formats that have signatures checked, by a program that a setting names: %G, also behind one of
// + - and a blank, and %(signature).
bool checks_signatures(std::string_view format) {
  for (const std::string_view sign : {"%G", "%+G", "%-G", "% G", "%(signature", "%(*signature"}) {
    if (format.find(sign) != format.npos) return true;
  }
  return false;
}

// A remote such as ext::command runs the command.
size_t suspect_in_git(std::span<const Word> words, bool remote) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (!words[i].literal() && (remote || may_be_option(words[i]))) return i;
    if (remote ? words[i].text.find("::") != std::string::npos : checks_signatures(words[i].text))
      return i;
  }
  return Segment::kNone;
}

WordEffect judge_git(std::span<const Word> words) {
  const size_t at = subcommand_of_git(words);
  if (at >= words.size() || !words[at].literal()) return anything();
  const Program* program = find_subcommand("git", words[at].text);
  if (program == nullptr) return anything();
  const size_t suspect = suspect_in_git(words, program->effect == Effect::network);
  if (suspect != Segment::kNone) return anything(suspect);
  return judge(*program, words, at + 1);
}

bool asks_for_the_version(std::span<const Word> words) {
  constexpr std::array<std::string_view, 20> kPrograms{
      "bash", "cc",    "clang", "clang++", "cmake", "curl",   "g++",     "gcc",  "git",     "ld",
      "make", "ninja", "node",  "perl",    "php",   "python", "python3", "ruby", "sqlite3", "tar"};
  return words.size() == 2 && words[1].literal() &&
         (words[1].text == "--version" || (words[1].text == "-v" && words[0].text == "node")) &&
         std::ranges::find(kPrograms, program_of(words[0])) != kPrograms.end();
}

bool has_unknown_environment(const Command& command) {
  return std::ranges::any_of(command.assignments, [](const Assignment& assignment) {
    return influence_of(assignment.name, assignment.value) != Influence::none;
  });
}

void add_redirections(const Command& command, Effects& effects) {
  for (const Redirection& redirection : command.redirections) {
    if (redirection.may_connect()) {
      effects.network = true;
      if (!redirection.target.literal()) effects.execute = true;
    }
    if (redirection.writes()) effects.writes = true;
  }
}

void add_words(const Segment& segment, Effects& effects, const Analysis& script) {
  const Command& command = segment.command;
  if (command.words.empty()) return;
  if (segment.transparent) {
    // On a terminal it writes what its command says.
    effects.writes = effects.writes || program_of(command.words[0]) == "nohup";
    return;
  }
  const WordEffect found = effect_of_words(command);
  effects.execute =
      effects.execute || found.effect == Effect::execute || has_unknown_environment(command) ||
      // Another directory may hold settings of git that are nobody's own.
      (script.moves && program_of(command.words[0]) == "git") || (script.stays && segment.exports);
  effects.network = effects.network || found.effect == Effect::network;
  effects.writes = effects.writes || found.writes;
}

}  // namespace

std::string_view name_of(Effect effect) {
  constexpr std::array<std::string_view, 4> kNames{"read", "write", "network", "execute"};
  return kNames[static_cast<size_t>(effect)];
}

WordEffect effect_of_words(const Command& command) {
  const std::span<const Word> words = command.words;
  if (words.empty()) return {};
  const std::string_view name = program_of(words[0]);
  if (name.empty()) return anything();
  if (asks_for_the_version(words)) return {};
  if (name == "git") return judge_git(words);
  if (const Program* program = find_program(name)) return judge(*program, words, 1);
  if (words.size() > 1 && words[1].literal()) {
    if (const Program* program = find_subcommand(name, words[1].text))
      return judge(*program, words, 2);
  }
  return anything();
}

Effects effects_of(std::string_view script) { return effects_of(analyze(script)); }

Effects effects_of(const Analysis& script) {
  Effects all;
  for (const Segment& segment : script.segments) {
    Effects own;
    add_redirections(segment.command, own);
    add_words(segment, own, script);
    const Effect before = all.strongest();
    all.writes = all.writes || own.writes;
    all.network = all.network || own.network;
    all.execute = all.execute || own.execute;
    if (all.strongest() > before) {
      constexpr std::array<std::string_view, 4> kDoes{"reads", "writes", "uses the network",
                                                      "may do anything"};
      all.reason = fmt::format("'{}' {}", describe(segment.command),
                               kDoes[static_cast<size_t>(own.strongest())]);
    }
  }
  if (!all.execute && !script.unknowns.empty()) {
    all.execute = true;
    all.reason = fmt::format("cannot tell what it runs: {}",
                             preview(escape_for_display(script.unknowns[0].reason), kMaxShown));
  }
  return all;
}

}  // namespace helve::shell
