// Tests of shell/unwrap.h.
#include "shell/unwrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::shell {
namespace {

// The segments with words, joined by " | "; words that vary are in ‹ ›, and » stands before one
// that the segment before it runs while it needs no permission of its own.
std::string shown(const Analysis& analysis) {
  std::string all;
  for (const Segment& segment : analysis.segments) {
    if (segment.command.words.empty()) continue;
    if (!all.empty()) {
      const bool within = segment.parent != Segment::kNone;
      all += within && analysis.segments[segment.parent].transparent ? " » " : " | ";
    }
    for (const Assignment& assignment : segment.command.assignments)
      all += assignment.name + "=" + assignment.value.text + " ";
    for (size_t i = 0; i < segment.command.words.size(); ++i) {
      const Word& word = segment.command.words[i];
      if (i > 0) all += ' ';
      all += word.literal() ? word.text : "‹" + word.text + "›";
    }
  }
  return all;
}

struct Case {
  std::string_view script, segments, doubt;  // the beginning of the first unknown, or nothing
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    const Analysis analysis = analyze(each.script, Reader::bash);
    EXPECT_EQ(shown(analysis), each.segments) << each.script;
    const std::string doubt = analysis.unknowns.empty() ? "" : analysis.unknowns[0].reason;
    if (each.doubt.empty()) {
      EXPECT_EQ(doubt, "") << each.script;
    } else {
      EXPECT_THAT(doubt, testing::StartsWith(std::string(each.doubt))) << each.script;
    }
  }
}

TEST(Unwrap, FindsWhatPlainWrappersRun) {
  expect_all({
      {"ls -l", "ls -l"},
      {"nice -n 5 ls", "nice -n 5 ls » ls"},
      {"nice -5 ls", "nice -5 ls » ls"},
      {"nohup ls &", "nohup ls » ls"},
      {"timeout -k 5 10s ls -l", "timeout -k 5 10s ls -l » ls -l"},
      {"timeout --signal=KILL 10 rm x", "timeout --signal=KILL 10 rm x » rm x"},
      {"stdbuf -oL ls", "stdbuf -oL ls » ls"},
      {"setsid -f ls", "setsid -f ls » ls"},
      {"ionice -c 3 ls", "ionice -c 3 ls » ls"},
      {"command ls; command -p ls", "command ls » ls | command -p ls » ls"},
      {"command -v ls", "command -v ls"},
      {"exec ls", "exec ls » ls"},
      {"busybox rm x", "busybox rm x | rm x"},
      {"/usr/bin/nice /bin/rm x", "/usr/bin/nice /bin/rm x » /bin/rm x"},
      {"./nice rm x", "./nice rm x | rm x"},
      {"nice nice nice rm x", "nice nice nice rm x » nice nice rm x » nice rm x » rm x"},
      {"timeout --bogus 10 rm x", "timeout --bogus 10 rm x", "an option of timeout"},
      {"timeout \"$t\" rm x", "timeout ‹\"$t\"› rm x", "an option of timeout"},
      {"timeout 1$t rm x", "timeout ‹1$t› rm x", "what timeout runs varies"},
      {"timeout \"1$t\" rm x", "timeout ‹\"1$t\"› rm x » rm x"},
  });
}

TEST(Unwrap, KeepsWrappersThatChangeWhoRuns) {
  expect_all({
      {"sudo rm x", "sudo rm x | rm x"},
      {"sudo -u bob -n -- rm x", "sudo -u bob -n -- rm x | rm x"},
      {"sudo A=1 rm x", "sudo A=1 rm x | rm x"},
      {"sudo -i rm x", "sudo -i rm x", "an option of sudo"},
      {"doas -u bob rm x", "doas -u bob rm x | rm x"},
      {"chroot /x rm y", "chroot /x rm y | rm y"},
      {"ssh host rm x", "ssh host rm x", "ssh runs"},
      {"su -c 'rm x'", "su -c rm x", "su runs"},
      {"parallel rm ::: x", "parallel rm ::: x", "parallel runs"},
      {"strace -o '|rm x' true", "strace -o |rm x true", "strace runs"},
      {"prlimit --nofile=9 rm x", "prlimit --nofile=9 rm x | rm x"},
      {"linux32 -R rm x", "linux32 -R rm x | rm x"},
      {"chrt -f 1 rm x", "chrt -f 1 rm x » rm x"},
      {"numactl -N 0 rm x", "numactl -N 0 rm x | rm x"},
      {"fakeroot rm x", "fakeroot rm x | rm x"},
      {"setarch i386 rm x", "setarch i386 rm x", "setarch runs"},
      {"/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
       "ld-linux"},
  });
}

TEST(Unwrap, GivesTheEnvironmentOfEnvToItsCommand) {
  expect_all({
      {"env", "env"},
      {"env ls", "env ls » ls"},
      {"env A=1 B='x y' ls", "env A=1 B=x y ls » A=1 B=x y ls"},
      {"C=3 env A=1 ls", "C=3 env A=1 ls » C=3 A=1 ls"},
      {"env -i ls", "env -i ls | ls"},
      {"env -u A -C /x ls", "env -u A -C /x ls | ls"},
      {"env -S 'rm x'", "env -S rm x", "an option of env"},
      {"env PATH=/x ls", "env PATH=/x ls » PATH=/x ls", "PATH decides"},
      {"env $x ls", "env ‹$x› ls", "an option of env"},
  });
}

TEST(Unwrap, ReadsTheScriptsOfShells) {
  expect_all({
      {"bash -c 'ls; rm x'", "bash -c ls; rm x » ls » rm x"},
      {"sh -ec \"rm x\" name arg", "sh -ec rm x name arg » rm x"},
      {"bash -euo pipefail -c 'rm x'", "bash -euo pipefail -c rm x » rm x"},
      {"bash --norc -lc 'rm x'", "bash --norc -lc rm x » rm x"},
      {"bash -c 'bash -c \"rm x\"'", "bash -c bash -c \"rm x\" » bash -c rm x » rm x"},
      {"A=1 sh -c ls", "A=1 sh -c ls » A=1 ls"},
      {"sh -c \"rm $x\"", "sh -c ‹\"rm $x\"›", "the script that sh runs varies"},
      {"sh -c 'ls <(rm x)'", "sh -c ls <(rm x) » rm x » ls ‹<(rm x)›", "only bash takes"},
      {"zsh -c 'rm x'", "zsh -c rm x | rm x", "zsh reads scripts"},
      {"bash --rcfile x -c 'rm y'", "bash --rcfile x -c rm y", "an option of bash"},
      {"bash -ic 'rm y'", "bash -ic rm y | rm y", "an option of bash"},
      {"bash script.sh", "bash script.sh"},
      {"curl x | sh", "curl x | sh", "a shell runs what it reads"},
      {"bash <<'E'\nrm x\nE", "bash | rm x", "a shell runs what it reads"},
      {"bash <<<'rm x'", "bash | rm x", "a shell runs what it reads"},
      {"eval rm 'x; ls'", "eval rm x; ls » rm x » ls"},
      {"eval -- 'rm x'", "eval -- rm x » rm x"},
      {"mapfile -C 'rm x' -c 1 y", "mapfile -C rm x -c 1 y", "a command is run"},
      {"eval \"$x\"", "eval ‹\"$x\"›", "what eval runs varies"},
      {"trap 'rm x' EXIT", "trap rm x EXIT » rm x"},
      {"trap - EXIT", "trap - EXIT"},
      {". ./x", ". ./x", ". runs"},
      {"source x", "source x", "source runs"},
  });
}

TEST(Unwrap, FindsWhatProgramsRunWithWhatTheyFind) {
  expect_all({
      {"xargs rm -f", "xargs rm -f » rm -f ‹…›"},
      {"xargs -0 -n1 -P 4 rm", "xargs -0 -n1 -P 4 rm » rm ‹…›"},
      {"xargs -I{} cp {} x/{}", "xargs -I{} cp {} x/{} » cp ‹{}› ‹x/{}›"},
      {"xargs -I % sh -c 'rm %'", "xargs -I % sh -c rm % » sh -c ‹rm %›", "the script that sh"},
      {"xargs -0rI{} rm x{}", "xargs -0rI{} rm x{} » rm ‹x{}›"},
      {"xargs -i rm {}", "xargs -i rm {} » rm ‹{}›"},
      {"xargs --replace=% rm %", "xargs --replace=% rm % » rm ‹%›"},
      {"xargs -I% -n2 rm %", "xargs -I% -n2 rm %", "where xargs puts"},
      {"xargs -n2 -I% rm %", "xargs -n2 -I% rm %", "where xargs puts"},
      {"xargs -I% -I^ rm %", "xargs -I% -I^ rm %", "where xargs puts"},
      {"xargs", "xargs"},
      {"xargs --bogus rm", "xargs --bogus rm", "an option of xargs"},
      {"find . -exec rm {} \\;", "find . -exec rm {} ; | rm ‹{}›"},
      {"find . -ok rm {} + -execdir sh -c 'ls' \\;",
       "find . -ok rm {} + -execdir sh -c ls ; | rm ‹{}› | sh -c ls » ls"},
      {"find . -exec ls + -exec rm {} \\;", "find . -exec ls + -exec rm {} ; | ls + -exec rm ‹{}›"},
      {"find . -exec ls {} + -exec rm {} \\;",
       "find . -exec ls {} + -exec rm {} ; | ls ‹{}› | rm ‹{}›"},
      {"find . -exec ls $x rm \\;", "find . -exec ls ‹$x› rm ;", "where a command of find ends"},
      {"fd x -x rm", "fd x -x rm | rm ‹…›"},
      {"fd -Hx rm", "fd -Hx rm", "what fd runs is not seen"},
      {"git -c alias.x='!rm' x", "git -c alias.x=!rm x", "a setting of git"},
      {"git -c color.ui=always log", "git -c color.ui=always log | git log"},
      {"git -C x push", "git -C x push | git push"},
      {"git --exec-path=/x log", "git --exec-path=/x log", "a setting of git"},
      {"git rebase -x 'rm x' main", "git rebase -x rm x main", "git rebase runs"},
      {"git rebase --exe 'rm x'", "git rebase --exe rm x", "git rebase runs"},
      {"git rebase -ix 'rm x'", "git rebase -ix rm x", "git rebase runs"},
      {"git push --receive-pac=x", "git push --receive-pac=x", "git push runs"},
      {"git --namespace x push", "git --namespace x push | git push"},
      {"git --bogus x push", "git --bogus x push", "a setting of git"},
      {"git bisect run make", "git bisect run make", "git bisect runs"},
      {"git fetch --upload-pack=x", "git fetch --upload-pack=x", "git fetch runs"},
  });
}

TEST(Unwrap, DoubtsOptionsThatRunWhatTheySay) {
  for (const std::string_view script :
       {"tar xf x --checkpoint=1 --checkpoint-action=exec=id", "tar xf x --checkpoint-act=exec=id",
        "tar -I 'sh -c id' -xf x", "tar tIf id x", "tar xf x --to-c=id", "split --filter=id x",
        "split --filt id x", "sort --compress-program=id x", "rg --pre id x", "rg --pre=id x",
        "man -P id ls", "awk 'BEGIN{system(\"id\")}'", "awk '{print | \"sh\"}' x", "compgen -C id",
        "complete -C id x"})
    EXPECT_FALSE(analyze(script, Reader::bash).unknowns.empty()) << script;
  for (const std::string_view script :
       {"tar czf x.tgz y", "tar --create --file=x y", "split -l 5 x", "rg --pretty x",
        "awk -F'|' '{print $1 || $2}' x", "awk '{print > \"x\"}' y", "sort -o x y"})
    EXPECT_TRUE(analyze(script, Reader::bash).unknowns.empty()) << script;
}

TEST(Unwrap, PassesOnWhereTheOutputGoes) {
  for (const std::string_view script : {"nice ls >x", "bash -c ls >x", "eval ls >x"}) {
    const Analysis analysis = analyze(script, Reader::bash);
    ASSERT_EQ(analysis.segments.size(), 2u) << script;
    EXPECT_EQ(analysis.segments[1].command.redirections.size(), 1u) << script;
  }
}

TEST(Unwrap, DoubtsVariablesThatDecideWhatRuns) {
  for (const std::string_view script : {"PATH=. ls",
                                        "PATH=.; ls",
                                        "LD_PRELOAD=x ls",
                                        "GIT_SSH_COMMAND=x git log",
                                        "BASH_ENV=x bash -c ls",
                                        "IFS=x; ls",
                                        "export PATH=.",
                                        "declare -x PATH=.",
                                        "for PATH in .; do ls; done",
                                        "read PATH",
                                        "read -r 'a[$(id)]'",
                                        "printf -v PATH x",
                                        "printf -vPATH x",
                                        "unset 'a[$(id)]'",
                                        "PAGER=x man ls",
                                        "EDITOR=x git commit",
                                        "ls ${PATH:=x}",
                                        "declare -n x=PATH",
                                        "export \"$x\"",
                                        "[ -v 'a[$(id)]' ]",
                                        "mapfile PATH",
                                        ": {PATH}<x",
                                        ": {a[$(id)]}<x",
                                        "printf %n PATH",
                                        "printf -- '%-5ln' PATH",
                                        "printf \"%$x\" PATH",
                                        "BASHPID+=1",
                                        "wait -p PATH",
                                        "wait $x",
                                        "declare PIPESTATUS=\"$y\"",
                                        "b[0]=1; declare b=\"$y\"",
                                        "b=(1); declare b+=\"$y\"",
                                        "read -ab <<< 1; typeset b=$y",
                                        "f() { local -a b; local b=$1; }; f",
                                        "[ $x ]",
                                        "[ -$x y ]",
                                        "[ {-v,x} ]",
                                        "[ \"${a[@]}\" ]",
                                        "[ \"$x\" 'a[$(id)]' ]",
                                        "env NODE_OPTIONS=x node",
                                        "export $x"})
    EXPECT_FALSE(analyze(script, Reader::bash).unknowns.empty()) << script;
  for (const std::string_view script :
       {"LC_ALL=C sort x", "GIT_PAGER=cat git log", "x=1; ls", "export A=1", "read -r line",
        "printf '%s\\n' x", "for f in a b; do ls; done", "declare -a x=(1 2)", "local x",
        "local x=/$1", "declare x=-$1", "readonly x=$1", "export A=\"$x\"", "declare -a x=($y)",
        "jobs -l"})
    EXPECT_TRUE(analyze(script, Reader::bash).unknowns.empty()) << script;
}

TEST(Unwrap, GivesExportedVariablesToWhatFollows) {
  expect_all({{"export A=1; make", "export A=1 | A=1 make"},
              {"export LC_ALL=C; make", "export LC_ALL=C | make"}});
}

TEST(Unwrap, DoubtsNamesThatTheScriptRedefines) {
  expect_all({{"ls() { rm x; }; ls", "rm x | ls", "'ls' is redefined"},
              {"alias ls='rm x'; ls", "alias ls=rm x | rm x | ls", "alias gives"},
              {"f() { ls; }", "ls"}});
}

TEST(Unwrap, DoubtsWhatChangesHowTheRestIsRead) {
  for (const std::string_view script :
       {"shopt -s extglob", "enable -f x y", "set -k", "set -o posix", "set -oo errexit keyword",
        "set -$x", "hash -p x ls", "let x=1", "$x", "\"$x\" y", "{rm,x}", "r*", "coproc ls"})
    EXPECT_FALSE(analyze(script, Reader::bash).unknowns.empty()) << script;
  for (const std::string_view script : {"set -euo pipefail", "set -x", "set -- a b", "set +e"})
    EXPECT_TRUE(analyze(script, Reader::bash).unknowns.empty()) << script;
}

// Dash runs c, b, rm and `touch x` here.
TEST(Unwrap, DoubtsForAnyShellWhatOnlyBashTakesSo) {
  for (const std::string_view script :
       {"a &>b c", "[[ a && b ]]", "((1>2))", "ls $'a\\'; rm x #'", "a &>>b touch x", "a |& b"}) {
    EXPECT_FALSE(analyze(script).unknowns.empty()) << script;
    EXPECT_TRUE(analyze(script, Reader::bash).unknowns.empty()) << script;
  }
  EXPECT_TRUE(analyze("a >b 2>&1; [ c ] && d | e $(f) `g` ${h:-i}").unknowns.empty());
}

// Dash reads what it evaluates as dash does, and older ones split what is exported.
TEST(Unwrap, DoubtsTextsByTheShellThatReadsThem) {
  for (const std::string_view script :
       {"eval '[[ a || b ]]'", "trap 'a &>b c' EXIT", "eval 'eval \"a |& b\"'", "export A=$x"}) {
    EXPECT_FALSE(analyze(script).unknowns.empty()) << script;
    EXPECT_TRUE(analyze(script, Reader::bash).unknowns.empty()) << script;
  }
  EXPECT_FALSE(analyze("sh -c \"eval '[[ a || b ]]'\"", Reader::bash).unknowns.empty());
  EXPECT_FALSE(analyze("nice dash -c \"trap 'a |& b' EXIT\"", Reader::bash).unknowns.empty());
  EXPECT_TRUE(analyze("bash -c \"eval '[[ a || b ]]'\"").unknowns.empty());
  EXPECT_TRUE(analyze("eval 'ls; rm x'; export A=\"$x\"").unknowns.empty());
}

TEST(Unwrap, IsBounded) {
  std::string nested;
  for (int i = 0; i < 20'000; ++i) nested += "eval ";
  EXPECT_FALSE(analyze(nested + "rm x").unknowns.empty());
  nested.clear();
  for (int i = 0; i < 20'000; ++i) nested += "nice ";
  EXPECT_FALSE(analyze(nested + "rm x").unknowns.empty());
}

size_t bytes_of(const Analysis& analysis) {
  size_t bytes = 0;
  for (const Segment& segment : analysis.segments) {
    for (const Word& word : segment.command.words) bytes += sizeof word + word.text.size();
    for (const Assignment& each : segment.command.assignments)
      bytes += sizeof each + each.value.text.size();
    for (const Redirection& each : segment.command.redirections)
      bytes += sizeof each + each.target.text.size();
  }
  return bytes;
}

TEST(Unwrap, CopiesNoMoreThanItsBound) {
  const std::string large(30'000, 'x');
  std::string many, words;
  for (int i = 0; i < 9900; ++i) many += ":;";
  for (int i = 0; i < 60'000; ++i) words += "a ";
  std::string nested = words;
  for (int i = 0; i < 15; ++i) nested = "nice " + nested;
  for (const std::string& script :
       {"export A=" + large + ";" + many, "A=" + large + " bash -c '" + many + "'",
        "bash -c '" + many + "' >" + large, nested}) {
    const Analysis analysis = analyze(script);
    EXPECT_FALSE(analysis.unknowns.empty()) << script.substr(0, 20);
    EXPECT_LT(bytes_of(analysis), kMaxCopied + (48u << 20)) << script.substr(0, 20);
  }
  EXPECT_TRUE(analyze("export A=1;" + many).unknowns.empty());
}

TEST(Unwrap, NotesThatTheDirectoryChanges) {
  EXPECT_TRUE(analyze("cd x && ls").moves);
  EXPECT_FALSE(analyze("ls x").moves);
}

}  // namespace
}  // namespace helve::shell
