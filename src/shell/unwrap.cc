#include "shell/unwrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "shell/parse.h"
#include "shell/unwrapper.h"
#include "shell/variables.h"

namespace helve::shell {
namespace {

struct Wrapper {
  std::string_view name;
  Options options;
  size_t operands = 0;  // before the command
  bool transparent = true;
};

constexpr std::array<Wrapper, 17> kWrappers{{
    {"nice", {.valued = "n", .longs = "adjustment=", .numbers = true}},
    {"nohup", {}},
    {"timeout",
     {.flags = "vf",
      .valued = "ks",
      .longs = "foreground preserve-status verbose kill-after= signal="},
     1},
    {"time", {.flags = "pvqa", .valued = "f", .longs = "portability verbose quiet format="}},
    {"stdbuf", {.valued = "ioe", .longs = "input= output= error="}},
    {"setsid", {.flags = "cfw", .longs = "ctty fork wait"}},
    {"ionice", {.flags = "t", .valued = "cn", .longs = "class= classdata= ignore"}},
    {"taskset", {.flags = "ac", .longs = "all-tasks cpu-list"}, 1},
    {"command", {.flags = "p"}},
    {"builtin", {}},
    {"exec", {}},
    {"busybox", {}, 0, false},  // its programs take other options than those that are known
    {"toybox", {}, 0, false},
    {"sudo",
     {.flags = "AbEHnPSkKN",
      .valued = "CDghpRrTtu",
      .longs = "user= group= non-interactive preserve-env? set-home stdin prompt= chdir="},
     0,
     false},
    {"doas", {.flags = "Ln", .valued = "Cau"}, 0, false},
    {"chroot", {.longs = "userspec= groups= skip-chdir"}, 1, false},
    {"strace", {.flags = "cCdfhiknqrtTvVwxyYzZ", .valued = "abeEIopPsSuUX"}, 0, false},
}};

// Programs that run commands in ways that are not followed here.
constexpr std::array<std::string_view, 22> kUnseen{
    "ssh",     "su",     "parallel", "unshare",  "nsenter",  "systemd-run", "runuser", "pkexec",
    "setpriv", "script", "expect",   "screen",   "tmux",     "at",          "batch",   "crontab",
    "entr",    "flock",  "rlwrap",   "unbuffer", "firejail", "bwrap"};

}  // namespace

std::string_view program_of(const Word& word) {
  if (!word.literal()) return {};
  const std::string_view path = word.text;
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return path;
  const std::string_view directory = path.substr(0, slash);
  const bool of_the_system = directory == "/bin" || directory == "/usr/bin" ||
                             directory == "/sbin" || directory == "/usr/sbin";
  return of_the_system ? path.substr(slash + 1) : std::string_view();
}

Analysis analyze(std::string_view script, Reader reader) {
  Analysis analysis;
  Script parsed = parse(script);
  analysis.malformed = parsed.malformed;
  if (parsed.bash_only && reader != Reader::bash)
    parsed.doubt("only bash takes this script as it is read here", 0);
  Unwrapper(analysis).add_script(std::move(parsed), Segment::kNone, 0);
  return analysis;
}

std::optional<std::vector<std::string>> literal_words(std::string_view script, Reader reader) {
  const Script parsed = parse(script);
  const bool is_known = parsed.only_simple && parsed.unknowns.empty() && !parsed.malformed &&
                        (reader == Reader::bash || !parsed.bash_only);
  if (!is_known || parsed.commands.size() != 1) return std::nullopt;
  const Command& command = parsed.commands[0];
  if (command.words.empty() || !command.assignments.empty() || !command.redirections.empty())
    return std::nullopt;
  std::vector<std::string> words;
  for (const Word& word : command.words) {
    if (!word.literal()) return std::nullopt;
    words.push_back(word.text);
  }
  return words;
}

void Unwrapper::add_script(Script script, size_t parent, size_t depth) {
  for (Unknown& unknown : script.unknowns) {
    if (analysis_.unknowns.size() < kMaxUnknowns) analysis_.unknowns.push_back(std::move(unknown));
  }
  std::ranges::move(script.functions, std::back_inserter(shadowed_));
  for (Command& command : script.commands) {
    if (analysis_.segments.size() >= kMaxCommands) {
      analysis_.unknowns.push_back(
          {fmt::format("more than {} commands", kMaxCommands), command.at});
      return;
    }
    add(std::move(command), parent, depth);
  }
}

void Unwrapper::doubt(Spot spot, std::string_view reason) {
  if (analysis_.unknowns.size() < kMaxUnknowns)
    analysis_.unknowns.push_back({std::string(reason), command(spot).at});
}

void Unwrapper::add(Command command, size_t parent, size_t depth) {
  if (!command.words.empty())
    command.assignments.insert(command.assignments.begin(), exported_.begin(), exported_.end());
  const Spot spot{analysis_.segments.size(), depth};
  analysis_.segments.push_back({std::move(command), parent});
  check_environment(spot);
  if (words(spot).empty()) return;
  if (depth > kMaxWrapping) return doubt(spot, "nested too deeply");
  const Word& name = words(spot)[0];
  if (!name.literal()) return runs_unseen(spot, "the name of the command varies");
  if (std::ranges::find(shadowed_, name.text) != shadowed_.end())
    doubt(spot, fmt::format("'{}' is redefined here", preview(escape_for_display(name.text), 40)));
  // By its last part, so that what it runs is found also when the program is somebody's own.
  const std::string text = name.text;
  look(spot, std::string_view(text).substr(text.rfind('/') + 1));
  if (text.find('/') != text.npos && program_of(words(spot)[0]).empty())
    analysis_.segments[spot.segment].transparent = false;
}

// Before a command only that command sees it; alone it stays.
void Unwrapper::check_environment(Spot spot) {
  for (const Assignment& assignment : command(spot).assignments) {
    if (influence_of(assignment.name, assignment.value) == Influence::runs)
      return doubt(spot, fmt::format("{} decides what runs", assignment.name));
    if (!assignment.value.literal() && assignment.value.text.starts_with('('))
      arrays_.push_back(assignment.name);
  }
}

void Unwrapper::look(Spot spot, std::string_view name) {
  if (plain_wrapper(spot, name) || shell_wrapper(spot, name) || running_program(spot, name) ||
      changing_builtin(spot, name))
    return;
  if (is_one_of(kUnseen, name))
    runs_unseen(spot, fmt::format("{} runs commands that are not seen here", name));
}

bool Unwrapper::plain_wrapper(Spot spot, std::string_view name) {
  const auto* wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
  if (wrapper == kWrappers.end()) return false;
  size_t at = 1;
  while (at < words(spot).size()) {
    const Read read = read_option(words(spot), at, wrapper->options);
    if (read == Read::operand || read == Read::separator) break;
    // `command -v` only tells what a name stands for.
    if (read == Read::unknown && name == "command" && words(spot)[at].literal() &&
        (words(spot)[at].text == "-v" || words(spot)[at].text == "-V"))
      return true;
    if (read == Read::unknown) {
      runs_unseen(spot, fmt::format("an option of {} that is not known", name));
      return true;
    }
  }
  for (size_t skipped = 0; skipped < wrapper->operands && at < words(spot).size(); ++skipped) {
    if (words(spot)[at].several) {
      runs_unseen(spot, fmt::format("what {} runs varies", name));
      return true;
    }
    ++at;
  }
  // sudo takes assignments as env does.
  while (name == "sudo" && at < words(spot).size() && words(spot)[at].literal() &&
         words(spot)[at].text.find('=') != std::string::npos)
    ++at;
  if (at < words(spot).size()) runs_words(spot, at, wrapper->transparent);
  return true;
}

void Unwrapper::mark(Spot spot, size_t inner, bool transparent) {
  Segment& segment = analysis_.segments[spot.segment];
  if (segment.inner == Segment::kNone || inner > segment.inner) segment.inner = inner;
  segment.transparent = transparent;
}

void Unwrapper::runs_words(Spot spot, size_t from, bool transparent) {
  Command inner{.at = command(spot).at};
  inner.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(from), words(spot).end());
  runs(spot, std::move(inner), from, transparent);
}

void Unwrapper::runs(Spot spot, Command inner, size_t from, bool transparent) {
  mark(spot, from, transparent);
  if (analysis_.segments.size() >= kMaxCommands)
    return doubt(spot, fmt::format("more than {} commands", kMaxCommands));
  pass_on(spot, inner);
  add(std::move(inner), spot.segment, spot.depth + 1);
}

// What a wrapper was given is there for what it runs as well: the environment, and the files that
// its output goes to.
void Unwrapper::pass_on(Spot spot, Command& inner) const {
  const Command& outer = command(spot);
  inner.at = outer.at;
  for (const Redirection& redirection : outer.redirections) {
    if (redirection.writes() || redirection.may_connect())
      inner.redirections.push_back(redirection);
  }
  if (inner.words.empty()) return;
  // What was exported is added to every command.
  const size_t exported = std::min(exported_.size(), outer.assignments.size());
  inner.assignments.insert(inner.assignments.begin(),
                           outer.assignments.begin() + static_cast<std::ptrdiff_t>(exported),
                           outer.assignments.end());
}

void Unwrapper::runs_text(Spot spot, size_t at, std::string_view text, bool transparent,
                          bool posix) {
  mark(spot, at, transparent);
  Script script;
  const std::string copy(text);
  parse_into(script, copy, command(spot).at, spot.depth + 1);
  if (posix && script.bash_only) doubt(spot, "only bash takes this script as it is read here");
  for (Command& inner : script.commands) pass_on(spot, inner);
  add_script(std::move(script), spot.segment, spot.depth + 1);
}

void Unwrapper::runs_unseen(Spot spot, std::string_view reason) {
  mark(spot, words(spot).size() - 1, false);
  doubt(spot, reason);
}

}  // namespace helve::shell
