// Programs that run other programs among the things they do.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  if (!word.literal()) return;
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

bool is_assignment(const Word& word) {
  const std::string_view text = word.literal() ? word.text : word.head;
  return text.find('=') != text.npos && text[0] != '=';
}

// The text that xargs -I replaces, or nothing.
std::string replaced_text(std::span<const Word> options) {
  std::string mark;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& text = options[i].text;
    if (text == "-I" && i + 1 < options.size()) {
      mark = options[i + 1].text;
    } else if (text.starts_with("-I")) {
      mark = text.substr(2);
    } else if (text == "-i" || text == "--replace") {
      mark = "{}";
    } else if (text.starts_with("-i")) {
      mark = text.substr(2);
    } else if (text.starts_with("--replace=")) {
      mark = text.substr(10);
    }
  }
  return mark;
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

// Words that make a subcommand of git run a program, wherever they stand.
bool makes_git_run(std::string_view subcommand, std::string_view word) {
  struct Running {
    std::string_view subcommand, word;
  };
  constexpr std::array<Running, 10> kRunning{{{"rebase", "-x"},
                                              {"rebase", "--exec"},
                                              {"bisect", "run"},
                                              {"submodule", "foreach"},
                                              {"difftool", "-x"},
                                              {"difftool", "--extcmd"},
                                              {"grep", "-O"},
                                              {"grep", "--open-files-in-pager"},
                                              {"clone", "-u"},
                                              {"archive", "--exec"}}};
  for (const std::string_view everywhere : {"--upload-pack", "--receive-pack", "--exec"}) {
    if (word.starts_with(everywhere)) return true;
  }
  return std::ranges::any_of(kRunning, [&](const Running& running) {
    return running.subcommand == subcommand && word.starts_with(running.word);
  });
}

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
  } else {
    return false;
  }
  return true;
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
  while (at < words(spot).size()) {
    const Read read = read_option(words(spot), at, kXargsOptions);
    if (read == Read::unknown) return runs_unseen(spot, "an option of xargs that is not known");
    if (read != Read::option) break;
  }
  if (at >= words(spot).size()) return;  // it runs echo
  const std::string mark = replaced_text(words(spot).subspan(1, at - 1));
  Command inner;
  inner.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at), words(spot).end());
  if (mark.empty()) {
    inner.words.push_back(added_words());
  } else {
    for (Word& word : inner.words) vary(word, mark);
  }
  runs(spot, std::move(inner), at, true);
}

void Unwrapper::find(Spot spot) {
  for (size_t at = 1; at < words(spot).size(); ++at) {
    const Word& word = words(spot)[at];
    const std::string_view text = word.literal() ? word.text : word.head;
    if (!text.starts_with("-exec") && !text.starts_with("-ok")) continue;
    Command inner;
    for (++at; at < words(spot).size(); ++at) {
      const Word& next = words(spot)[at];
      if (next.literal() && (next.text == ";" || next.text == "+")) break;
      inner.words.push_back(next);
      vary(inner.words.back(), "{}");
    }
    if (inner.words.empty()) return runs_unseen(spot, "what find runs is not there");
    const size_t from = at - inner.words.size();
    runs(spot, std::move(inner), from, false);
  }
}

void Unwrapper::fd(Spot spot) {
  for (size_t at = 1; at < words(spot).size(); ++at) {
    const std::string_view text = words(spot)[at].text;
    if (!text.starts_with("-x") && !text.starts_with("-X") && !text.starts_with("--exec")) continue;
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
  for (; at < words(spot).size() && may_be_option(words(spot)[at]); ++at) {
    const std::string_view text = words(spot)[at].text;
    if (text == "-c") {
      ++at;
      if (at >= words(spot).size() || !is_harmless_setting(words(spot)[at]))
        return runs_unseen(spot, "a setting of git may run a program");
    } else if (text == "-C" || text == "--git-dir" || text == "--work-tree") {
      ++at;
    } else if (!words(spot)[at].literal() || text.starts_with("--exec-path=") ||
               text.starts_with("--config-env") || text.starts_with("-c")) {
      return runs_unseen(spot, "a setting of git may run a program");
    }
  }
  if (at >= words(spot).size() || !words(spot)[at].literal()) return;
  if (at > 1) {  // a rule that denies `git push` is meant for `git -C x push` as well
    Command plain;
    plain.words.assign(words(spot).begin() + static_cast<std::ptrdiff_t>(at) - 1,
                       words(spot).end());
    plain.words[0] = words(spot)[0];
    return runs(spot, std::move(plain), at, false);
  }
  const std::string subcommand = words(spot)[at].text;
  for (const Word& word : words(spot).subspan(at + 1)) {
    if (makes_git_run(subcommand, word.literal() ? word.text : word.head))
      return runs_unseen(spot, fmt::format("git {} runs a program", subcommand));
  }
}

}  // namespace helve::shell
