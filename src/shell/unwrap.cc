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

constexpr Options kArchitecture{
    .flags = "vRFZLXBIST3",
    .longs =
        "verbose addr-no-randomize fdpic-funcptrs mmap-page-zero addr-compat-layout "
        "read-implies-exec 32bit short-inode whole-seconds sticky-timeouts 3gb 4gb uname-2.6"};

constexpr std::array<Wrapper, 31> kWrappers{{
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
    {"chrt",
     {.flags = "abdfiorRv",
      .valued = "TPD",
      .longs = "all-tasks batch deadline fifo idle other rr reset-on-fork verbose"},
     1},
    {"prlimit",
     {.longs = "as? core? cpu? data? fsize? locks? memlock? msgqueue? nice? nofile? nproc? rss? "
               "rtprio? rttime? sigpending? stack? verbose"},
     0,
     false},
    {"linux32", kArchitecture, 0, false},
    {"linux64", kArchitecture, 0, false},
    {"i386", kArchitecture, 0, false},
    {"i686", kArchitecture, 0, false},
    {"x86_64", kArchitecture, 0, false},
    {"uname26", kArchitecture, 0, false},
    {"numactl",
     {.flags = "l",
      .valued = "iNCmp",
      .longs = "interleave= cpunodebind= physcpubind= membind= preferred= localalloc"},
     0,
     false},
    {"fakeroot", {}, 0, false},
    {"eatmydata", {}, 0, false},
    {"dbus-run-session", {}, 0, false},
    {"xvfb-run", {.flags = "a", .longs = "auto-servernum"}, 0, false},
    {"valgrind", {.flags = "qv", .longs = "quiet verbose"}, 0, false},
    {"ltrace", {.flags = "bcCfirStTV", .valued = "aeFlLnopsuwxX"}, 0, false},
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
}};

// Programs that run commands in ways that are not followed here.
constexpr auto kUnseen = std::to_array<std::string_view>(
    {"ssh",       "su",       "parallel", "unshare",  "nsenter",   "systemd-run",
     "runuser",   "pkexec",   "setpriv",  "script",   "expect",    "screen",
     "tmux",      "at",       "batch",    "crontab",  "entr",      "flock",
     "rlwrap",    "unbuffer", "firejail", "bwrap",    "runcon",    "setarch",
     "capsh",     "cgexec",   "proot",    "faketime", "gdb",       "perf",
     "strace",    "sg",       "newgrp",   "gosu",     "su-exec",   "run-parts",
     "hyperfine", "compgen",  "complete", "nsjail",   "daemonize", "start-stop-daemon"});

size_t bytes_of(const Word& word) {
  return sizeof word + word.text.size() + word.head.size() +
         sizeof(word.wild[0]) * word.wild.size();
}

}  // namespace

size_t bytes_of(const Assignment& assignment) {
  return sizeof assignment + assignment.name.size() + bytes_of(assignment.value);
}

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

// A fault in here must not take a command for known.
Analysis analyze(std::string_view script, Reader reader) try {
  Analysis analysis;
  Script parsed = parse(script);
  analysis.malformed = parsed.malformed;
  Unwrapper(analysis).add_script(std::move(parsed), {.reader = reader});
  // Without a command, exec gives the input to all that follows.
  bool is_fed = false;
  for (Segment& segment : analysis.segments) {
    if (!segment.command.names("exec") || !segment.command.takes_input()) continue;
    segment.exports = is_fed = true;
  }
  for (Segment& segment : analysis.segments) segment.command.fed |= is_fed;
  return analysis;
} catch (const std::exception&) {
  return {.unknowns = {{"the script could not be read", 0}}};
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

void Unwrapper::add_script(Script script, Place place) {
  if (script.bash_only && place.reader != Reader::bash)
    script.doubt("only bash takes this script as it is read here", 0);
  for (Unknown& unknown : script.unknowns) {
    if (analysis_.unknowns.size() < kMaxUnknowns) analysis_.unknowns.push_back(std::move(unknown));
  }
  shadowed_.insert(script.functions.begin(), script.functions.end());
  for (Command& command : script.commands) {
    if (analysis_.segments.size() >= kMaxCommands) {
      analysis_.unknowns.push_back(
          {fmt::format("more than {} commands", kMaxCommands), command.at});
      return;
    }
    add(std::move(command), place);
  }
}

void Unwrapper::doubt(Spot spot, std::string_view reason) {
  if (analysis_.unknowns.size() < kMaxUnknowns)
    analysis_.unknowns.push_back({std::string(reason), command(spot).at});
}

void Unwrapper::add(Command command, Place place) {
  const Spot spot{analysis_.segments.size(), place.depth, place.reader};
  analysis_.segments.push_back({std::move(command), place.parent});
  if (!words(spot).empty() && !exported_.empty() && affords(spot, exported_bytes_)) {
    std::vector<Assignment>& own = analysis_.segments[spot.segment].command.assignments;
    own.insert(own.begin(), exported_.begin(), exported_.end());
  }
  check_environment(spot);
  if (words(spot).empty()) return;
  if (place.depth > kMaxWrapping) return doubt(spot, "nested too deeply");
  const Word& name = words(spot)[0];
  if (!name.literal()) return runs_unseen(spot, "the name of the command varies");
  if (shadowed_.contains(name.text))
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
  }
  if (!words(spot).empty()) return;
  std::vector<Assignment> again;
  for (const Assignment& assignment : command(spot).assignments) {
    if (is_exported(assignment.name)) again.push_back(assignment);
  }
  add_exported(spot, std::move(again));
}

bool Unwrapper::is_exported(std::string_view name) const {
  return std::ranges::find(exported_, name, &Assignment::name) != exported_.end();
}

void Unwrapper::add_exported(Spot spot, std::vector<Assignment> found) {
  for (Assignment& assignment : found) {
    if (exported_.size() >= kMaxDepth) return doubt(spot, "too many variables are exported");
    exported_bytes_ += bytes_of(assignment);
    exported_.push_back(std::move(assignment));
  }
}

void Unwrapper::look(Spot spot, std::string_view name) {
  if (plain_wrapper(spot, name) || shell_wrapper(spot, name) || running_program(spot, name) ||
      changing_builtin(spot, name))
    return;
  const bool loads = name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so";
  if (is_one_of(kUnseen, name) || loads)
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
  size_t bytes = 0;
  for (const Word& word : inner.words) bytes += bytes_of(word);
  // What was taken for seen is not: nothing beyond this is looked at.
  if (!affords(spot, bytes)) return mark(spot, words(spot).size() - 1, false);
  pass_on(spot, inner);
  add(std::move(inner), {spot.segment, spot.depth + 1, spot.reader});
}

bool Unwrapper::affords(Spot spot, size_t bytes) {
  if (bytes <= kMaxCopied - copied_) {
    copied_ += bytes;
    return true;
  }
  doubt(spot, "more than can be looked at is given to what it runs");
  return false;
}

// What a wrapper was given is there for what it runs as well: the environment, and the files that
// it reads and writes.
void Unwrapper::pass_on(Spot spot, Command& inner) {
  const Command& outer = command(spot);
  inner.at = outer.at;
  inner.fed = inner.fed || outer.fed;
  for (const Redirection& redirection : outer.redirections) {
    if (redirection.is_text()) inner.fed = true;
    if ((redirection.writes() || redirection.reads() || redirection.may_connect()) &&
        affords(spot, bytes_of(redirection.target)))
      inner.redirections.push_back(redirection);
  }
  if (inner.words.empty()) return;
  // What was exported is added to every command.
  const auto own =
      std::span(outer.assignments).subspan(std::min(exported_.size(), outer.assignments.size()));
  size_t bytes = 0;
  for (const Assignment& assignment : own) bytes += bytes_of(assignment);
  if (!own.empty() && affords(spot, bytes))
    inner.assignments.insert(inner.assignments.begin(), own.begin(), own.end());
}

void Unwrapper::runs_text(Spot spot, size_t at, std::string_view text, bool transparent,
                          Reader reader) {
  mark(spot, at, transparent);
  // A word of it has two bytes at least.
  if (!affords(spot, text.size() * (sizeof(Word) / 2)))
    return mark(spot, words(spot).size() - 1, false);
  Script script;
  const std::string copy(text);
  parse_into(script, copy, command(spot).at, spot.depth + 1);
  for (Command& inner : script.commands) pass_on(spot, inner);
  add_script(std::move(script), {spot.segment, spot.depth + 1, reader});
}

void Unwrapper::runs_unseen(Spot spot, std::string_view reason) {
  mark(spot, words(spot).size() - 1, false);
  doubt(spot, reason);
}

}  // namespace helve::shell
