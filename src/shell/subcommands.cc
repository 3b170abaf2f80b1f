// The table of subcommands: those of git, and some of package managers.
#include <algorithm>
#include <array>

#include "shell/programs.h"

namespace helve::shell {
namespace {

using std::string_view;

constexpr Options kConfigOptions{
    .flags = "lz",
    .longs =
        "get= get-all= get-regexp= list name-only show-origin show-scope global local system "
        "null type= default="};

// Only one name of a setting: behind it stands its new value, whatever that looks like, and a word
// without a dot says what newer versions are to do.
size_t suspect_in_git_config(std::span<const Word> words) {
  const auto config = std::ranges::find(words, "config", &Word::text);
  for (size_t at = static_cast<size_t>(config - words.begin()) + 1; at < words.size();) {
    const size_t here = at;
    if (read_option(words, at, kConfigOptions) == Read::option) continue;
    const bool is_name = words[here].literal() && words[here].text.find('.') != std::string::npos;
    return is_name && here + 1 == words.size() ? Segment::kNone : here;
  }
  return Segment::kNone;
}

constexpr string_view kDiffLongs =
    "stat? numstat shortstat dirstat? summary patch no-patch raw patch-with-stat name-only "
    "name-status color? no-color word-diff? word-diff-regex= color-words? no-renames find-renames? "
    "find-copies? find-copies-harder check full-index binary abbrev? diff-filter= "
    "ignore-space-change ignore-all-space ignore-blank-lines ignore-space-at-eol "
    "ignore-cr-at-eol minimal patience histogram diff-algorithm= inter-hunk-context= "
    "function-context unified= exit-code quiet no-ext-diff no-textconv src-prefix= dst-prefix= "
    "no-prefix relative? text pickaxe-all pickaxe-regex merge-base cached staged no-index cc "
    "combined-all-paths compact-summary submodule? ignore-submodules? color-moved? "
    "oneline graph decorate? no-decorate all branches? tags? remotes? author= committer= grep= "
    "all-match invert-grep regexp-ignore-case extended-regexp fixed-strings since= after= until= "
    "before= max-count= skip= follow reverse merges no-merges min-parents= first-parent format= "
    "pretty? date= relative-date abbrev-commit no-abbrev-commit left-right left-only right-only "
    "cherry-pick cherry-mark ancestry-path topo-order date-order author-date-order not "
    "simplify-by-decoration full-history source notes? no-notes walk-reflogs parents children "
    "count boundary no-walk root no-mailmap use-mailmap";
constexpr Options kDiffOptions{.flags = "pusaWbwzRcitgmq",
                               .valued = "USGnL",
                               .optional = "MCBl",
                               .longs = kDiffLongs,
                               .numbers = true};

constexpr auto kGit = std::to_array<Program>({
    {.name = "log", .options = kDiffOptions},
    {.name = "diff", .options = kDiffOptions},
    {.name = "show", .options = kDiffOptions},
    {.name = "rev-list", .options = kDiffOptions},
    {.name = "shortlog",
     .options = {.flags = "nsec",
                 .longs = "numbered summary email committer all "
                          "no-merges since= until= group="}},
    {.name = "status",
     .options = {.flags = "sbvz",
                 .optional = "u",
                 .longs = "short branch porcelain? long verbose untracked-files? ignored? "
                          "ignore-submodules? ahead-behind no-ahead-behind column? no-column "
                          "show-stash renames no-renames null"}},
    {.name = "blame",
     .options = {.flags = "bltfnsewpc",
                 .valued = "L",
                 .optional = "MC",
                 .longs = "porcelain line-porcelain incremental date= show-name show-number "
                          "show-email root reverse first-parent since="}},
    {.name = "rev-parse", .any = true},
    {.name = "merge-base", .any = true},
    {.name = "name-rev", .any = true},
    {.name = "for-each-ref",
     .options = {.longs = "format= sort= count= points-at= contains? merged? no-merged? color?"}},
    {.name = "show-ref",
     .options = {.flags = "dqs", .longs = "head heads tags verify quiet hash?"}},
    {.name = "ls-files",
     .options = {.flags = "cdmoiskuztvf",
                 .valued = "xX",
                 .longs = "cached deleted modified others ignored stage unmerged killed "
                          "exclude-standard exclude= error-unmatch full-name directory eol debug"}},
    {.name = "ls-tree",
     .options = {.flags = "drtlz",
                 .longs = "name-only name-status full-name full-tree long abbrev?"}},
    {.name = "cat-file", .options = {.flags = "tpes"}},
    {.name = "describe",
     .options = {.longs = "tags all long always dirty? broken? abbrev? match= exclude= exact-match "
                          "contains first-parent candidates="}},
    {.name = "grep",
     .options = {.flags = "nilLcwvEFPGIhHrzoqap",
                 .valued = "eABCfm",
                 .longs =
                     "line-number ignore-case files-with-matches name-only files-without-match "
                     "count word-regexp invert-match extended-regexp fixed-strings perl-regexp "
                     "cached untracked no-index recursive show-function function-context "
                     "all-match and or not heading break color? no-color column max-depth= "
                     "only-matching context= after-context= before-context=",
                 .numbers = true}},
    {.name = "reflog", .options = kDiffOptions, .operands = 0},
    {.name = "remote", .options = {.flags = "v", .longs = "verbose"}, .operands = 0},
    {.name = "version", .operands = 0},
    // With an operand these make something.
    {.name = "branch",
     .effect = Effect::write,
     .options = {.flags = "avrdDmMcCfqt",
                 .longs =
                     "show-current list all remotes verbose merged? no-merged? contains? format= "
                     "sort= color? no-color column? points-at= delete move copy force"},
     .lists = true},
    {.name = "tag",
     .effect = Effect::write,
     .options = {.flags = "ldf",
                 .optional = "n",
                 .longs = "list delete sort= contains? merged? points-at= format= column? color?"},
     .lists = true},
    {.name = "config", .options = kConfigOptions, .operands = 1, .suspect = suspect_in_git_config},
    {.name = "add",
     .effect = Effect::write,
     .options = {.flags = "AunvfN", .longs = "all update dry-run verbose force intent-to-add"}},
    {.name = "rm",
     .effect = Effect::write,
     .options = {.flags = "rfnq", .longs = "cached force quiet"}},
    {.name = "mv", .effect = Effect::write, .options = {.flags = "fknv"}},
    {.name = "restore",
     .effect = Effect::write,
     .options = {.flags = "SWq",
                 .valued = "s",
                 .longs = "staged worktree source= quiet ours theirs"}},
    {.name = "reset",
     .effect = Effect::write,
     .options = {.flags = "qN", .longs = "hard soft mixed keep quiet"}},
    {.name = "init", .effect = Effect::write, .options = {.flags = "qb", .longs = "quiet bare"}},
    {.name = "ls-remote",
     .effect = Effect::network,
     .options = {.flags = "htq", .longs = "heads tags refs quiet symref"}},
    {.name = "fetch",
     .effect = Effect::network,
     .options = {.flags = "apqtvnf",
                 .valued = "j",
                 .longs = "all prune tags no-tags depth= quiet verbose dry-run unshallow"},
     .also_writes = true},
    {.name = "clone",
     .effect = Effect::network,
     .options = {.flags = "qnv",
                 .valued = "bo",
                 .longs = "depth= branch= single-branch no-tags quiet verbose bare no-checkout "
                          "filter= origin="},
     .also_writes = true},
});

struct Subcommand {
  string_view program;
  Program row;
};
// npm keeps logs and both look for news of themselves, whatever they are asked.
constexpr Program package_row(string_view name) {
  return {.name = name,
          .effect = Effect::network,
          .options = {.flags = "alpgfv",
                      .longs = "all long json parseable depth= global files format= local verbose"},
          .also_writes = true};
}

constexpr auto kSubcommands = std::to_array<Subcommand>({
    {"npm", package_row("ls")},
    {"npm", package_row("list")},
    {"npm", package_row("root")},
    {"npm", package_row("prefix")},
    {"npm", package_row("view")},
    {"npm", package_row("info")},
    {"npm", package_row("show")},
    {"npm", package_row("search")},
    {"npm", package_row("ping")},
    {"npm", package_row("outdated")},
    {"pip", package_row("list")},
    {"pip", package_row("show")},
    {"pip", package_row("freeze")},
    {"pip", package_row("check")},
});

}  // namespace

const Program* find_subcommand(string_view program, string_view subcommand) {
  if (program == "git") {
    const auto found = std::ranges::find(kGit, subcommand, &Program::name);
    return found == kGit.end() ? nullptr : &*found;
  }
  if (program == "pip3") program = "pip";
  for (const Subcommand& each : kSubcommands) {
    if (each.program == program && each.row.name == subcommand) return &each.row;
  }
  return nullptr;
}

}  // namespace helve::shell
