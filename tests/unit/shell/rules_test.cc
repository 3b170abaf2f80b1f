// Tests of shell/rules.h.
#include "shell/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::shell {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Rule allow(std::string pattern) {
  return {.pattern = std::move(pattern), .verdict = Verdict::allow};
}
Rule deny(std::string pattern) { return {.pattern = std::move(pattern), .verdict = Verdict::deny}; }
Rule ask(std::string pattern) { return {.pattern = std::move(pattern), .verdict = Verdict::ask}; }

Rules made(std::vector<Rule> rules) {
  Result<Rules> result = Rules::make(std::move(rules));
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

Verdict verdict(std::string_view script, const Rules& rules, Verdict otherwise = Verdict::ask) {
  return decide(analyze(script, Reader::bash), rules, otherwise).verdict;
}

void expect_verdicts(const Rules& rules, Verdict wanted, std::vector<std::string_view> scripts,
                     Verdict otherwise = Verdict::ask) {
  for (const std::string_view script : scripts) {
    const Decision decision = decide(analyze(script, Reader::bash), rules, otherwise);
    EXPECT_EQ(name_of(decision.verdict), name_of(wanted)) << script << "\n" << decision.reason;
  }
}

TEST(Rules, LastStarStandsForAnyFurtherWords) {
  const Rules rules = made({allow("ls *"), allow("git log"), allow("cat docs/*.md")});
  expect_verdicts(rules, Verdict::allow,
                  {"ls", "ls -l a b", "git log", "cat docs/a.md", "/bin/ls x", "ls 2>&1 >/dev/null",
                   "LC_ALL=C ls", "ls | ls; ls && ls", "# nothing", ""});
  expect_verdicts(rules, Verdict::ask,
                  {"lsof", "git log -p", "git", "cat docs/a.md docs/b.md", "cat docs/x/a.md",
                   "cat docs/../a.md", "./ls x", "ls x >y"});
}

TEST(Rules, WildCharactersOfAnAllowNeverStandForAnOption) {
  const Rules rules = made({allow("sort *.txt"), allow("cp ?? x")});
  EXPECT_EQ(verdict("sort a.txt", rules), Verdict::allow);
  EXPECT_EQ(verdict("sort --output=b.txt", rules), Verdict::ask);
  EXPECT_EQ(verdict("cp -r x", rules), Verdict::ask);
  EXPECT_EQ(verdict("cp ab x", rules), Verdict::allow);
}

TEST(Rules, TwoStarsOfAnAllowCrossDirectoriesButNeverGoUp) {
  const Rules rules = made({allow("cat src/**")});
  EXPECT_EQ(verdict("cat src/a/b.c", rules), Verdict::allow);
  EXPECT_EQ(verdict("cat src/../../etc/passwd", rules), Verdict::ask);
  EXPECT_EQ(verdict("cat src/a/..", rules), Verdict::ask);
  const Rules behind = made({allow("cc -I** x.c"), allow("cat ../lib/**"), allow("git log v*")});
  expect_verdicts(behind, Verdict::allow, {"cc -Isrc/a x.c", "cat ../lib/a", "git log v1..v2"});
  expect_verdicts(
      behind, Verdict::ask,
      {"cc -I../secret x.c", "cc -Ia:..:b x.c", "cat ../lib/../../secret", "cc -I.. x.c"});
}

TEST(Rules, QuotedCharactersStandForThemselves) {
  const Rules rules = made({allow("echo '*'"), allow("git commit -m 'a b'"), allow("echo \\?")});
  expect_verdicts(rules, Verdict::allow, {"echo '*'", "git commit -m \"a b\"", "echo \"?\""});
  expect_verdicts(rules, Verdict::ask, {"echo x", "git commit -m a b", "echo y"});
}

TEST(Rules, StrictestVerdictOfAllSegmentsCounts) {
  const Rules rules = made({allow("ls *"), ask("git push *"), deny("rm *")});
  EXPECT_EQ(verdict("ls; git push", rules), Verdict::ask);
  EXPECT_EQ(verdict("ls; git push; rm x", rules), Verdict::deny);
  EXPECT_EQ(verdict("rm x; ls", rules), Verdict::deny);
  EXPECT_EQ(verdict("ls; make", rules, Verdict::allow), Verdict::allow);
  EXPECT_EQ(verdict("ls; make", rules, Verdict::deny), Verdict::deny);
}

TEST(Rules, DenyWinsWhateverTheOrder) {
  EXPECT_EQ(verdict("rm x", made({allow("rm *"), deny("rm *")})), Verdict::deny);
  EXPECT_EQ(verdict("rm x", made({deny("rm *"), allow("rm *")})), Verdict::deny);
  EXPECT_EQ(verdict("rm x", made({allow("rm x"), ask("rm *")})), Verdict::ask);
}

TEST(Rules, DenyIsFoundBehindEveryWrapper) {
  const Rules rules = made({deny("rm *")});
  expect_verdicts(rules, Verdict::deny,
                  {"rm x",
                   "/bin/rm x",
                   "./rm x",
                   "\\rm x",
                   "'r'm x",
                   "r\\m x",
                   "$'\\x72m' x",
                   "sudo rm x",
                   "sudo -u bob rm x",
                   "env rm x",
                   "env -i A=1 rm x",
                   "A=1 rm x",
                   "nohup nice -n 5 timeout 5 rm x",
                   "xargs rm",
                   "ls | xargs -I{} rm {}",
                   "find . -exec rm {} +",
                   "bash -c 'rm x'",
                   "bash -c \"bash -c 'rm x'\"",
                   "eval rm x",
                   "eval 'ls; rm x'",
                   "trap 'rm x' EXIT",
                   "echo $(rm x)",
                   "echo `rm x`",
                   "echo \"${y:-$(rm x)}\"",
                   "cat <(rm x)",
                   "cat <<E\n$(rm x)\nE",
                   "if true; then rm x; fi",
                   "f() { rm x; }; f",
                   "(rm x)",
                   "{ rm x; }",
                   "true && rm x",
                   "true & rm x",
                   "! rm x",
                   "time rm x",
                   "while rm x; do :; done",
                   "case a in a) rm x;; esac",
                   "busybox rm x",
                   "command rm x",
                   "exec rm x",
                   "ls\nrm x",
                   "ls # comment\nrm x",
                   "[[ $(rm x) ]]",
                   "x=$(rm x)",
                   "x=(a $(rm x))",
                   "alias l='rm x'",
                   "bash <<'E'\nrm x\nE",
                   "zsh -c 'rm x'",
                   "( ( ( rm x ) ) )",
                   "rm $x",
                   "rm *",
                   "ls >$(rm x)"},
                  Verdict::allow);
}

TEST(Rules, DenyIsFoundBehindAnyNumberOfSegments) {
  std::string script;
  for (int i = 0; i < 60; ++i) script += "true; ";
  EXPECT_EQ(verdict(script + "rm x", made({allow("true"), deny("rm *")})), Verdict::deny);
  for (int i = 0; i < 2000; ++i) script += "true\n";
  EXPECT_EQ(verdict(script + "rm x", made({allow("true"), deny("rm *")})), Verdict::deny);
}

TEST(Rules, MayBeDeniedIsAsked) {
  const Rules rules = made({deny("git push *"), deny("rm -rf *")});
  expect_verdicts(rules, Verdict::ask,
                  {"git $x", "git \"$x\" origin", "git $(echo push)", "rm $x y", "git p{ush,ull}"},
                  Verdict::allow);
  expect_verdicts(rules, Verdict::allow, {"git log $x", "git \"l$x\"", "rm -f $x"}, Verdict::allow);
}

// CVE-2025-54795 and its like: a list that allows `echo` and other readers must allow no more.
TEST(Rules, AllowListIsNotWalkedAround) {
  const Rules rules = made({allow("echo *"), allow("ls *"), allow("find *"), allow("git diff *"),
                            allow("sort *"), allow("cat *"), allow("env *"), allow("xargs *"),
                            allow("sudo *"), allow("bash *"), allow("timeout *"), allow("awk *")});
  expect_verdicts(rules, Verdict::allow,
                  {"echo hi", "echo \"\\\"; touch x; echo \\\"\"", "echo 'a;b' | cat",
                   "find . -name x", "timeout 5 echo hi", "env echo hi", "bash -c 'echo hi; ls'"});
  const std::vector<std::string_view> bypasses{
      "echo a; touch x",
      "echo a && touch x",
      "echo a || touch x",
      "echo a | touch x",
      "echo a |& touch x",
      "echo a & touch x",
      "echo a\ntouch x",
      "echo a\r\ntouch x",
      "echo a;touch x",
      "echo a #\ntouch x",
      "echo a \\\n; touch x",
      "echo \"a\"; touch x; echo \"b\"",
      "echo \"\\\\\"; touch x; echo \"\"",
      "echo 'a'; touch x; echo 'b'",
      "echo $(touch x)",
      "echo \"$(touch x)\"",
      "echo `touch x`",
      "echo \"`touch x`\"",
      "echo $(echo $(touch x))",
      "echo ${x:-$(touch x)}",
      "echo \"${x:-`touch x`}\"",
      "echo <(touch x)",
      "echo >(touch x)",
      "echo $((a[$(touch x)]))",
      "echo $[a[$(touch x)]]",
      "echo ${a[$(touch x)]}",
      "echo ${x@P}",
      "echo ${!x}",
      "echo a > x",
      "echo a >> x",
      "echo a >| x",
      "echo a &> x",
      "echo a >& x",
      "echo a <> x",
      "echo a 3> x",
      "echo a {f}> x",
      "> x echo a",
      "echo a > /dev/tcp/host/80",
      "cat < /dev/tcp/host/80",
      "cat <<E > x\na\nE",
      "cat <<E\n$(touch x)\nE",
      "cat <<< $(touch x)",
      "echo${IFS}a",
      "echo $x",
      "echo \"$@\"",
      "echo *",
      "echo {a,b}",
      "echo ~",
      "$'\\x74ouch' x",
      "t\"ou\"ch x",
      "{touch,x}",
      "$(echo touch) x",
      "${x:-touch} x",
      "/b?n/to*ch x",
      "(touch x)",
      "{ touch x; }",
      "! touch x",
      "time touch x",
      "if echo; then touch x; fi",
      "for i in a; do touch x; done",
      "while touch x; do echo; done",
      "case a in a) touch x;; esac",
      "f() { touch x; }; echo",
      "echo() { touch x; }; echo a",
      "alias echo=touch; echo x",
      "coproc touch x",
      "PATH=. echo a",
      "LD_PRELOAD=./x ls",
      "GIT_EXTERNAL_DIFF=x git diff",
      "FOO=1 ls",
      "PATH=.; ls",
      "export PATH=.; ls",
      "env PATH=. ls",
      "env -i ls",
      "env touch x",
      "env -S 'touch x'",
      "nice touch x",
      "timeout 5 touch x",
      "sudo touch x",
      "sudo ls",
      "xargs touch",
      "echo x | xargs touch",
      "echo x | xargs ls",
      "bash -c 'touch x'",
      "bash x.sh",
      "echo x | bash",
      "bash <<< 'touch x'",
      "eval touch x",
      "eval 'echo; touch x'",
      "exec touch x",
      "command touch x",
      "source x",
      ". x",
      "trap 'touch x' EXIT",
      "find . -exec touch {} \\;",
      "find . -execdir touch {} +",
      "find . -ok touch {} \\;",
      "find . -delete",
      "find . -fprint x",
      "sort -o x y",
      "sort --output=x y",
      "sort --compress-program=x y",
      "git diff --output=x",
      "git diff --ext-diff",
      "git diff --no-index --output x a b",
      "awk 'BEGIN { system(\"touch x\") }'",
      "awk '{ print > \"x\" }' y",
      "./echo a",
      "../bin/ls",
      "shopt -s extglob; echo",
      "echo 'unclosed",
      "echo a )",
  };
  EXPECT_GE(bypasses.size(), 60u);
  expect_verdicts(rules, Verdict::ask, bypasses);
  EXPECT_EQ(verdict(std::string_view("echo a\0; touch x", 17), rules), Verdict::ask);
}

TEST(Rules, CommandsThatOthersRunMustBeNamed) {
  const Rules rules = made({allow("sudo apt *"), allow("find . -exec cat *"), allow("bash x.sh")});
  expect_verdicts(rules, Verdict::allow, {"sudo apt update", "bash x.sh"});
  expect_verdicts(rules, Verdict::ask,
                  {"sudo -E apt update", "apt update", "sudo rm x", "bash -c x.sh",
                   "find . -exec cat {} \\; -exec rm {} \\;"});
}

TEST(Rules, OptionsThatDoMoreMustBeNamed) {
  const Rules rules = made({allow("sort --output=* *"), allow("git log *"), allow("make *")});
  expect_verdicts(rules, Verdict::allow, {"sort --output=x y", "git log -p", "make -f x --bogus"});
  expect_verdicts(rules, Verdict::ask, {"sort -o x y", "git log --output=x"});
}

TEST(Rules, EnvironmentAndOutputMustBeNamed) {
  const Rules rules =
      made({allow("A=1 make *"), allow("make test > build/*.log"), allow("> out.txt")});
  expect_verdicts(
      rules, Verdict::allow,
      {"A=1 make x", "env A=1 make", "make test >build/a.log", "make test >build/a.log 2>&1"});
  expect_verdicts(
      rules, Verdict::ask,
      {"make x", "A=2 make x", "A=1 B=2 make x", "make test", "make test >a.log",
       "make test >>build/a.log", "A=1 make x >build/a.log", "make test >build/$x.log"});
}

TEST(Rules, DenyOfAnOutputHoldsForEveryCommand) {
  const Rules rules = made({deny("> /etc/**")});
  expect_verdicts(rules, Verdict::deny, {"echo a >/etc/passwd", "{ ls; } >/etc/x/y"},
                  Verdict::allow);
  expect_verdicts(rules, Verdict::ask, {"echo a >$x", "echo a >/etc$x"}, Verdict::allow);
  expect_verdicts(rules, Verdict::allow, {"echo a >x", "cat /etc/passwd"}, Verdict::allow);
}

TEST(Rules, DenyOfASubcommandSeesPastTheOptionsOfGit) {
  const Rules rules = made({deny("git push *")});
  expect_verdicts(rules, Verdict::deny, {"git -C x push", "git --no-pager push origin"},
                  Verdict::allow);
}

TEST(Rules, ReasonNamesTheSegmentAndTheRule) {
  const Rules rules =
      made({{.pattern = "rm *", .verdict = Verdict::deny, .reason = "use delete"}, allow("ls")});
  const Decision denied = decide("ls; rm 'a b'", rules, Verdict::ask);
  EXPECT_EQ(denied.segment, "rm 'a b'");
  EXPECT_EQ(denied.rule, 0u);
  EXPECT_EQ(denied.reason, "a rule denies 'rm *' (use delete)");
  const Decision asked = decide("ls; make -j\x1b", rules, Verdict::ask);
  EXPECT_EQ(asked.reason, "no rule allows 'make $'-j\\x1b''");
  EXPECT_THAT(decide("eval $x", rules, Verdict::ask).reason,
              HasSubstr("cannot tell what it runs: what eval runs varies"));
}

TEST(Rules, ExamplesAreCheckedWhenRulesAreMade) {
  EXPECT_TRUE(Rules::make({{.pattern = "git log *",
                            .verdict = Verdict::allow,
                            .match = {"git log -p", "nice git log"},
                            .not_match = {"git push", "git log; rm x", "git log >x"}},
                           {.pattern = "rm *",
                            .verdict = Verdict::deny,
                            .match = {"rm", "sudo rm -rf /"},
                            .not_match = {"rmdir x", "git rm x"}}}));
  const auto wrong = [](Rule rule) {
    const Result<Rules> result = Rules::make({std::move(rule)});
    return result ? std::string() : result.error().message;
  };
  EXPECT_THAT(wrong({.pattern = "git log", .verdict = Verdict::allow, .match = {"git log -p"}}),
              HasSubstr("the rule 'git log' does not decide its example 'git log -p'"));
  EXPECT_THAT(wrong({.pattern = "git *", .verdict = Verdict::deny, .not_match = {"git log"}}),
              HasSubstr("must not decide"));
}

TEST(Rules, PatternThatCannotBeMeantIsAnError) {
  for (const char* pattern :
       {"", "ls; rm", "ls $x", "ls {a,b}", "ls [ab]", "ls 'x", "ls | rm", "~/x", "f() { :; }",
        "ls $(x)", "# x", "time *", "time -p *", "! *", "{ *; }", "( * )", "ls &"})
    EXPECT_FALSE(Rules::make({allow(pattern)})) << pattern;
}

std::vector<std::string> narrowest(std::string_view script, std::vector<Rule> present = {}) {
  const auto rules = narrowest_rules(script, made(std::move(present)));
  if (!rules) return {"error: " + rules.error().message};
  std::vector<std::string> patterns;
  for (const Rule& rule : *rules) patterns.push_back(rule.pattern);
  return patterns;
}

TEST(NarrowestRules, NameExactlyWhatIsNotAllowedYet) {
  EXPECT_THAT(narrowest("git add . && git commit -m 'it'\\''s *' | cat", {allow("cat *")}),
              ElementsAre("git add .", "git commit -m 'it'\\''s *'"));
  EXPECT_THAT(narrowest("timeout 5 make; make; LC_ALL=C make"), ElementsAre("make"));
  EXPECT_THAT(narrowest("A='x y' make >out.txt 2>&1"), ElementsAre("A='x y' make > out.txt"));
  EXPECT_THAT(narrowest("bash -c 'ls; make'"), ElementsAre("ls", "make"));
  EXPECT_THAT(narrowest("sudo make install"), ElementsAre("sudo make install"));
  EXPECT_THAT(narrowest("ls", {allow("ls")}), ElementsAre());
}

TEST(NarrowestRules, AllowTheScriptAndNothingNearIt) {
  for (const std::string_view script :
       {"ls 'a*b' \"c d\" $'e\\tf'", "X=1 ./run --a=b ''", "'if' x; \"A=1\"", "make -C x >'a b'",
        "find . -name '*.c' -exec cat x \\;", "echo \\~ '{a,b}' '#c' é"}) {
    const auto rules = narrowest_rules(analyze(script, Reader::bash), Rules());
    ASSERT_TRUE(rules) << script << ": " << rules.error().message;
    EXPECT_EQ(verdict(script, made(*rules)), Verdict::allow) << script;
    for (const std::string_view more : {" x", "; touch y", " > z"})
      EXPECT_EQ(verdict(std::string(script) + std::string(more), made(*rules)), Verdict::ask)
          << script << more;
  }
}

TEST(NarrowestRules, SayWhyThereAreNone) {
  EXPECT_THAT(narrowest("ls $x"), ElementsAre(HasSubstr("it is a parameter")));
  EXPECT_THAT(narrowest("if ["), ElementsAre(HasSubstr("error: 'then' is missing")));
  EXPECT_THAT(narrowest("eval $x"), ElementsAre(HasSubstr("what eval runs varies")));
  EXPECT_THAT(narrowest("rm x", {deny("rm *")}), ElementsAre(HasSubstr("a rule denies 'rm *'")));
}

TEST(Decide, LetsReadingPassWhereItMay) {
  const Rules rules = *Rules::make({{.pattern = "npm test", .verdict = Verdict::allow}});
  const Otherwise reads{Verdict::ask, Exempt::reading};
  EXPECT_EQ(decide("ls | wc -l && npm test", rules, reads).verdict, Verdict::allow);
  EXPECT_EQ(decide("ls > out; npm test", rules, reads).verdict, Verdict::ask);
  EXPECT_EQ(decide("ls; npm publish", rules, reads).segment, "npm publish");
  EXPECT_EQ(decide("ls; npm test", rules, Verdict::ask).verdict, Verdict::ask);
  const auto narrowest = narrowest_rules("ls; npm publish", rules, Exempt::reading);
  ASSERT_TRUE(narrowest);
  ASSERT_EQ(narrowest->size(), 1u);
  EXPECT_EQ(narrowest->front().pattern, "npm publish");
}

TEST(Decide, JudgesAVariableWithTheCommandsThatGetIt) {
  const Rules rules = *Rules::make({{.pattern = "npm test", .verdict = Verdict::allow}});
  auto verdict = [&](std::string_view script) {
    return decide(script, rules, Verdict::ask).verdict;
  };
  EXPECT_EQ(verdict("export LANG=C TZ=UTC; npm test"), Verdict::allow);
  EXPECT_EQ(verdict("export NODE_OPTIONS=-r./x; npm test"), Verdict::ask);
  EXPECT_EQ(verdict("export 'LD_PRELOAD=x.so'; npm test"), Verdict::ask);
  EXPECT_EQ(verdict("export -f npm; npm test"), Verdict::ask);
  EXPECT_EQ(verdict("export LANG=$(rm a); npm test"), Verdict::ask);
  EXPECT_EQ(verdict("export LANG=C > out; npm test"), Verdict::ask);
}

}  // namespace
}  // namespace helve::shell
