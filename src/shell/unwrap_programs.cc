// Programs that run other programs among the things they do.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shell/programs.h"
#include "shell/unwrapper.h"

namespace helve::shell {
namespace {

constexpr Options kEnvOptions{
    .flags = "i0v", .valued = "uC", .longs = "ignore-environment null debug unset= chdir="};

constexpr Options kXargsOptions{
    .flags = "0rtxpo",
    .valued = "adEILnPs",
    .optional = "eil",
    .longs =
        "null no-run-if-empty verbose interactive exit open-tty arg-file= delimiter= "
        "max-args= max-procs= max-lines? replace? max-chars= eof?"};

// Is replaced in the words of the command that find or xargs runs.
void vary(Word& word, std::string_view mark) {
  if (!word.literal()) {
    word.head.clear();  // a part of it may be replaced as well
    return;
  }
  const size_t at = word.text.find(mark);
  if (at == std::string::npos) return;
  word.head = word.text.substr(0, at);
  word.varies = Varies::input;
}

Word added_words() {
  Word word{.text = "…", .varies = Varies::input};
  word.several = true;
  return word;
}

bool may_end_exec(const Word& word) {
  return !word.literal() && (std::string_view(";").starts_with(word.head) ||
                             std::string_view("+").starts_with(word.head) ||
                             std::string_view("{}").starts_with(word.head));
}

bool is_assignment(const Word& word) {
  const std::string_view text = word.literal() ? word.text : word.head;
  return text.find('=') != text.npos && text[0] != '=';
}

// How xargs puts what it reads into its command: in the place of a mark, or behind all words.
struct Placing {
  std::string mark;  // empty: behind
  bool known = true;
  bool counts = false;  // -n, -L and -l are against a mark, and the last one wins

  void replace(std::string_view text) {
    known = known && mark.empty() && !text.empty();
    mark = text;
  }
};

// Takes an option that was read: `words` are its word, and its value when that is another one.
void read_placing(std::span<const Word> words, Placing& placing) {
  const std::string_view text = words[0].text;
  if (text.starts_with("--")) {
    const size_t equals = std::min(text.find('='), text.size());
    if (text.starts_with("--replace"))
      placing.replace(equals < text.size() ? text.substr(equals + 1) : "{}");
    placing.counts =
        placing.counts || text.starts_with("--max-args") || text.starts_with("--max-lines");
    return;
  }
  const size_t at = text.find_first_not_of(kXargsOptions.flags, 1);
  if (at == text.npos) return;
  const std::string_view attached = text.substr(at + 1);
  if (text[at] == 'I' && attached.empty()) {
    placing.replace(words.size() > 1 && words[1].literal() ? words[1].text : "");
  } else if (text[at] == 'I' || text[at] == 'i') {
    placing.replace(attached.empty() ? "{}" : attached);
  }
  placing.counts = placing.counts || text[at] == 'n' || text[at] == 'L' || text[at] == 'l';
}

// Settings that only change what is shown.
bool is_harmless_setting(const Word& setting) {
  constexpr std::array<std::string_view, 8> kHarmless{
      "color.",          "user.name=", "user.email=",         "core.quotepath=",
      "core.quotePath=", "advice.",    "init.defaultBranch=", "commit.gpgsign=false"};
  return setting.literal() && std::ranges::any_of(kHarmless, [&](std::string_view start) {
           return setting.text.starts_with(start);
         });
}

// Before the subcommand; -c is looked at for itself.
constexpr Options kGitOptions{
    .flags = "pPvh",
    .valued = "C",
    .longs =
        "git-dir= work-tree= namespace= paginate no-pager bare no-replace-objects "
        "no-optional-locks no-lazy-fetch no-advice literal-pathspecs glob-pathspecs "
        "noglob-pathspecs icase-pathspecs version help html-path man-path info-path exec-path"};

// Words that make a program, or a subcommand of git, run what they say, wherever they stand.
struct Running {
  std::string_view program, word;
};
constexpr auto kRunning = std::to_array<Running>({
    {"tar", "--checkpoint-action"},
    {"tar", "--to-command"},
    {"tar", "--use-compress-program"},
    {"tar", "--info-script"},
    {"tar", "--new-volume-script"},
    {"tar", "--rsh-command"},
    {"tar", "--rmt-command"},
    {"tar", "-I"},
    {"tar", "-F"},
    {"split", "--filter"},
    {"sort", "--compress-program"},
    {"rg", "--pre"},
    {"rg", "--hostname-bin"},
    {"install", "--strip-program"},
    {"man", "-P"},
    {"man", "--pager"},
});
constexpr auto kGitRunning = std::to_array<Running>({
    {"rebase", "-x"},
    {"bisect", "run"},
    {"submodule", "foreach"},
    {"difftool", "-x"},
    {"difftool", "--extcmd"},
    {"grep", "-O"},
    {"grep", "--open-files-in-pager"},
    {"clone", "-u"},
    {"clone", "-c"},
    {"clone", "--config"},
    {"", "--upload-pack"},
    {"", "--receive-pack"},
    {"", "--exec"},
});

bool makes_run(std::span<const Running> table, std::string_view program, const Word& word) {
  const std::string_view text = word.literal() ? word.text : word.head;
  return std::ranges::any_of(table, [&](const Running& running) {
    return (running.program.empty() || running.program == program) &&
           (running.word[0] == '-' ? may_give(text, running.word) : text == running.word);
  });
}

// It has commands that run others, which a script may also only name.
bool may_run(std::string_view awk_script) {
  return awk_script.find("system") != awk_script.npos ||
         (!is_harmless_awk(awk_script) && awk_script.find('|') != awk_script.npos);
}

// Subcommands that only run others.
constexpr std::array<std::string_view, 6> kGitRunners{"filter-branch", "for-each-repo", "hook",
                                                      "remote-ext",    "shell",         "daemon"};

}  // namespace

bool Unwrapper::running_program(Spot spot, std::string_view name) {
  if (name == "env") {
    env(spot);
  } else if (name == "xargs") {
    xargs(spot);
  } else if (name == "find") {
    find(spot);
  } else if (name == "fd" || name == "fdfind") {
    fd(spot);
  } else if (name == "git") {
    git(spot);
  } else if (name == "awk" || name == "gawk" || name == "mawk" || name == "nawk") {
    awk(spot);
  } else {
    return running_option(spot, name);
  }
  return true;
}

bool Unwrapper::running_option(Spot spot, std::string_view name) {
  const Words all = words(spot);
  const auto found = std::ranges::find_if(
      all.subspan(1), [&](const Word& word) { return makes_run(kRunning, name, word); });
  // Tar takes letters without a dash as well.
  const bool bundled = name == "tar" && all.size() > 1 && !all[1].text.starts_with('-') &&
                       all[1].text.find_first_of("IF") != std::string::npos;
  if (found == all.end() && !bundled) return false;
  runs_unseen(spot, fmt::format("an option of {} runs a program", name));
  return true;
}

void Unwrapper::awk(Spot spot) {
  size_t at = 1;
  Read read = Read::option;
  while (at < words(spot).size() && read == Read::option)
    read = read_option(words(spot), at, {.valued = "Fv"});
  if (at < words(spot).size() && words(spot)[at].literal() && may_run(words(spot)[at].text))
    runs_unseen(spot, "a script of awk may run commands");
}

void Unwrapper::env(Spot spot) {
  size_t at = 1;
  bool only_assigns = true;
  while (at < words(spot).size()) {
    if (words(spot)[at].literal() && words(spot)[at].text == "-") {
      only_assigns = false;
      ++at;
      continue;
    }
    const Read read = read_option(words(spot), at, kEnvOptions);
    if (read == Read::unknown) return runs_unseen(spot, "an option of env that is not known");
    if (read != Read::option) break;
    only_assigns = false;
  }
  Command inner;
  for (; at < words(spot).size() && is_assignment(words(spot)[at]); ++at) {
    Word value = words(spot)[at];
    std::string& text = value.literal() ? value.text : value.head;
    Assignment assignment{.name = text.substr(0, text.find('='))};
    text.erase(0, text.find('=') + 1);
    assignment.value = std::move(value);
    inner.assignments.push_back(std::move(assignment));
  }
  if (at >= words(spot).size()) return;
  inner.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at), words(spot).end());
  runs(spot, std::move(inner), at, only_assigns);
}

void Unwrapper::xargs(Spot spot) {
  size_t at = 1;
  Placing placing;
  while (at < words(spot).size()) {
    const size_t here = at;
    const Read read = read_option(words(spot), at, kXargsOptions);
    if (read == Read::unknown) return runs_unseen(spot, "an option of xargs that is not known");
    if (read != Read::option) break;
    read_placing(words(spot).subspan(here, at - here), placing);
  }
  if (at >= words(spot).size()) return;  // it runs echo
  if (!placing.known || (placing.counts && !placing.mark.empty()))
    return runs_unseen(spot, "where xargs puts what it reads is not known");
  Command inner;
  inner.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at), words(spot).end());
  if (placing.mark.empty()) {
    inner.words.push_back(added_words());
  } else {
    for (Word& word : inner.words) vary(word, placing.mark);
  }
  runs(spot, std::move(inner), at, true);
}

void Unwrapper::find(Spot spot) {
  for (size_t at = 1; at < words(spot).size(); ++at) {
    const Word& word = words(spot)[at];
    const std::string_view text = word.literal() ? word.text : word.head;
    if (!text.starts_with("-exec") && !text.starts_with("-ok")) continue;
    Command inner;
    const size_t from = at + 1;
    for (at = end_of_exec(words(spot), at); inner.words.size() + from < at;) {
      inner.words.push_back(words(spot)[from + inner.words.size()]);
      if (may_end_exec(inner.words.back()))
        return runs_unseen(spot, "where a command of find ends varies");
      vary(inner.words.back(), "{}");
    }
    if (inner.words.empty()) return runs_unseen(spot, "what find runs is not there");
    runs(spot, std::move(inner), from, false);
  }
}

void Unwrapper::fd(Spot spot) {
  for (size_t at = 1; at < words(spot).size(); ++at) {
    const std::string_view text = words(spot)[at].text;
    const bool letters = text.starts_with('-') && !text.starts_with("--");
    if (!(letters && text.find_first_of("xX") != text.npos) && !text.starts_with("--exec"))
      continue;
    if (text != "-x" && text != "-X" && text != "--exec" && text != "--exec-batch")
      return runs_unseen(spot, "what fd runs is not seen");
    Command inner;
    inner.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at) + 1,
                       words(spot).end());
    if (inner.words.empty()) return runs_unseen(spot, "what fd runs is not there");
    for (Word& word : inner.words) vary(word, "{");
    inner.words.push_back(added_words());
    return runs(spot, std::move(inner), at + 1, false);
  }
}

// Settings, aliases and some options of subcommands run programs.
void Unwrapper::git(Spot spot) {
  size_t at = 1;
  while (at < words(spot).size()) {
    if (words(spot)[at].literal() && words(spot)[at].text == "-c") {
      if (at + 1 >= words(spot).size() || !is_harmless_setting(words(spot)[at + 1]))
        return runs_unseen(spot, "a setting of git may run a program");
      at += 2;
      continue;
    }
    const Read read = read_option(words(spot), at, kGitOptions);
    if (read == Read::operand) break;
    if (read != Read::option) return runs_unseen(spot, "a setting of git may run a program");
  }
  if (at >= words(spot).size()) return;
  if (at > 1) {  // a rule that denies `git push` is meant for `git -C x push` as well
    Command plain;
    plain.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at) - 1,
                       words(spot).end());
    plain.words[0] = words(spot)[0];
    return runs(spot, std::move(plain), at, false);
  }
  if (!words(spot)[at].literal()) return;
  const std::string subcommand = words(spot)[at].text;
  const auto runs_program = [&](const Word& word) {
    return makes_run(kGitRunning, subcommand, word);
  };
  if (is_one_of(kGitRunners, subcommand) ||
      std::ranges::any_of(words(spot).subspan(at + 1), runs_program))
    runs_unseen(spot, fmt::format("git {} runs a program", subcommand));
}

}  // namespace helve::shell
