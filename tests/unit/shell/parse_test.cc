// Tests of shell/parse.h.
#include "shell/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::shell {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The commands as text: words that vary are in ‹ ›, assignments and redirections follow theirs.
std::vector<std::string> shown(std::string_view source) {
  std::vector<std::string> all;
  for (const Command& command : parse(source).commands) {
    std::string line;
    const auto add = [&](const Word& word) {
      line += word.literal() ? word.text : "‹" + word.text + "›";
    };
    for (const Assignment& assignment : command.assignments) {
      line += (line.empty() ? "" : " ") + assignment.name + "=";
      add(assignment.value);
    }
    for (const Word& word : command.words) {
      if (!line.empty()) line += ' ';
      add(word);
    }
    for (const Redirection& redirection : command.redirections) {
      line += redirection.writes() ? " >" : " <";
      add(redirection.target);
    }
    all.push_back(line);
  }
  return all;
}

std::string first_doubt(std::string_view source) {
  const Script script = parse(source);
  return script.unknowns.empty() ? "" : script.unknowns[0].reason;
}

Word second_word(std::string_view source) { return parse(source).commands.back().words.at(1); }

TEST(Parse, SeesEveryCommandOfAList) {
  EXPECT_THAT(shown("a; b && c || d | e |& f & g\nh"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h"));
}

TEST(Parse, SeesCommandsHoweverDeepTheyStand) {
  EXPECT_THAT(shown("if a; then { (b) }; else while c; do case x in x) d;; esac; done; fi"),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(shown("a \"$(b \"$(c)\")\" `d \\`e\\`` ${x:-$(f)} <(g) <<<$(h)"),
              ElementsAre("c", "b ‹\"$(c)\"›", "e", "d ‹`e`›", "f", "g", "h",
                          "a ‹\"$(b \"$(c)\")\"› ‹`d \\`e\\``› ‹${x:-$(f)}› ‹<(g)› <‹$(h)›"));
}

TEST(Parse, TellsTheValueOfAWordThatIsKnown) {
  EXPECT_EQ(second_word("a 'b c'\"d\"\\ e").text, "b cd e");
  EXPECT_EQ(second_word("a \"\\\"; b; c \\\"\"").text, "\"; b; c \"");
  EXPECT_EQ(second_word(R"(a $'\x72m\t\'')").text, "rm\t'");
  EXPECT_EQ(second_word("a b\\\nc").text, "bc");
  EXPECT_EQ(second_word("a b\rc").text, "b\rc") << "a carriage return is no blank";
  EXPECT_EQ(second_word("a HEAD@{1}").text, "HEAD@{1}");
  EXPECT_EQ(second_word("a HEAD~1").text, "HEAD~1");
}

TEST(Parse, TellsWhyAWordIsNotKnown) {
  EXPECT_EQ(second_word("a $x").varies, Varies::parameter);
  EXPECT_EQ(second_word("a x$(b)").varies, Varies::substitution);
  EXPECT_EQ(second_word("a `b`").varies, Varies::substitution);
  EXPECT_EQ(second_word("a $((1))").varies, Varies::arithmetic);
  EXPECT_EQ(second_word("a <(b)").varies, Varies::process);
  EXPECT_EQ(second_word("a $\"b\"").varies, Varies::translation);
  EXPECT_EQ(second_word("a ~/b").varies, Varies::tilde);
  EXPECT_EQ(second_word("a b={c,d}").varies, Varies::braces);
  EXPECT_EQ(second_word("a *.c").varies, Varies::glob);
  EXPECT_EQ(second_word("a [bc]").varies, Varies::glob);
  EXPECT_EQ(second_word("a \"*\"").varies, Varies::no);
}

TEST(Parse, TellsWhatAWordBeginsWith) {
  EXPECT_EQ(second_word("a src/*.c").head, "src/");
  EXPECT_EQ(second_word("a --out=$x").head, "--out=");
  EXPECT_EQ(second_word("a \"$x\"/b").head, "");
  EXPECT_EQ(second_word("a b{c,d}").head, "b");
}

TEST(Parse, TellsWhetherAWordMayBeSeveral) {
  EXPECT_TRUE(second_word("a $x").several);
  EXPECT_TRUE(second_word("a \"$@\"").several);
  EXPECT_TRUE(second_word("a *").several);
  EXPECT_FALSE(second_word("a \"$x\"").several);
}

TEST(Parse, MarksWhichCharactersOfAGlobAreUnquoted) {
  const Word word = second_word("a '*'*b\\??");
  EXPECT_EQ(word.text, "**b??");
  EXPECT_THAT(word.wild, ElementsAre(1, 4));
}

TEST(Parse, ReadsRedirectionsWhereverTheyStand) {
  EXPECT_THAT(shown(">out a 2>&1 b 3<>c &>>d 2>/dev/null <e"),
              ElementsAre("a b >out <1 >c >d </dev/null <e"));
  EXPECT_THAT(shown("a >&b; a >&2; a >&-; a >&$x"), ElementsAre("a >b", "a <2", "a <-", "a >‹$x›"));
  EXPECT_THAT(shown("{ a; } >b; while c; do d; done >e"), ElementsAre("a", " >b", "c", "d", " >e"));
}

TEST(Parse, KnowsThatBashConnectsByAPath) {
  EXPECT_TRUE(parse("a </dev/tcp/h/80").commands[0].redirections[0].may_connect());
  EXPECT_TRUE(parse("a >/dev/udp/h/80").commands[0].redirections[0].may_connect());
  EXPECT_TRUE(parse("a <\"$x\"").commands[0].redirections[0].may_connect());
  EXPECT_FALSE(parse("a <./$x").commands[0].redirections[0].may_connect());
  EXPECT_FALSE(parse("a <<<$x").commands[0].redirections[0].may_connect());
}

TEST(Parse, LooksIntoHereDocumentsThatExpand) {
  EXPECT_THAT(shown("a <<E; b\n$(c) `d` \\$(e)\nE\nf"),
              ElementsAre("a <‹$(c) `d` \\$(e)\n›", "b", "c", "d", "f"));
  EXPECT_THAT(shown("a <<'E'\n$(c)\nE\nf"), ElementsAre("a <$(c)\n", "f"));
  EXPECT_THAT(shown("a <<-E <<F\n\tx\n\tE\ny\nF\nb"), ElementsAre("a <x\n <y\n", "b"));
}

TEST(Parse, SeparatesAssignmentsFromWords) {
  EXPECT_THAT(shown("A=1 B='x y' c D=2"), ElementsAre("A=1 B=x y c D=2"));
  EXPECT_THAT(shown("A=1; PATH+=:x"), ElementsAre("A=1", "PATH=:x"));
  EXPECT_THAT(shown("for PATH in a; do b; done"), ElementsAre("PATH=‹›", "b"));
  EXPECT_THAT(shown("a ${X:=b}"), ElementsAre("X=‹›", "a ‹${X:=b}›"));
}

TEST(Parse, NamesTheFunctionsOfAScript) {
  const Script script = parse("ls() { rm x; }; function cd { :; }; ls");
  EXPECT_THAT(script.functions, ElementsAre("ls", "cd"));
  EXPECT_EQ(script.commands.size(), 3u);
}

TEST(Parse, DoubtsWhatRunsTheValueOfAVariable) {
  for (const std::string_view source :
       {"a $((x))", "((x++))", "a ${y[x]}", "a ${y:x}", "[[ x -eq 1 ]]", "y[x]=1", "a ${!x}",
        "a ${x@P}", "for ((i=0;;)); do a; done", "[[ -v $x ]]"})
    EXPECT_FALSE(parse(source).unknowns.empty()) << source;
  for (const std::string_view source :
       {"a $((1+2))", "((1))", "a ${y[0]} ${y[@]}", "a ${y:1:2}", "[[ $? -eq 1 ]]", "y[1]=1"})
    EXPECT_TRUE(parse(source).unknowns.empty()) << source;
}

TEST(Parse, SaysWhereItCouldNotGoOn) {
  const Script script = parse("a; b )c");
  EXPECT_TRUE(script.malformed);
  ASSERT_EQ(script.unknowns.size(), 1u);
  EXPECT_EQ(script.unknowns[0].reason, "unexpected ')'");
  EXPECT_EQ(script.unknowns[0].at, 5u);
  EXPECT_EQ(script.commands.size(), 2u) << "what was read before is there";
}

TEST(Parse, KeepsTheCommandThatAFailureCuts) {
  EXPECT_THAT(shown("rm -rf x 'open"), ElementsAre("rm -rf x "));
}

TEST(Parse, EndsOnWhatIsNoWord) {
  EXPECT_THAT(first_doubt("A=(; b"), HasSubstr("unexpected ';'"));
  EXPECT_THAT(first_doubt("for a in b (c"), HasSubstr("unexpected '('"));
}

// Bash 5.2 prints a substitution from what it parsed and drops the ; here: it runs `b c`.
TEST(Parse, DoubtsWhatFollowsAHereDocumentInASubstitution) {
  EXPECT_THAT(first_doubt("a $(cat <<E\nE\nwhile b; c; do d; done)"), HasSubstr("behind"));
  EXPECT_THAT(first_doubt("a $(b <<E\nE\n{ c; d; }\ne <<E\nE\n)"), HasSubstr("behind"));
  EXPECT_EQ(first_doubt("a \"$(cat <<'E'\ntext\nE\n)\"; b"), "");
  EXPECT_EQ(first_doubt("a \"$(cat <<E | b\n$(c)\nE\n)\""), "");
}

// Bash takes a[ # ] for an array and runs what follows; a comment would hide it.
TEST(Parse, DoubtsABracketBehindAName) {
  for (const std::string_view source : {"a[ # ] ; rm x", "X=1 a[ # ] ; rm x", ">o a[ # ]\nrm x"})
    EXPECT_THAT(first_doubt(source), HasSubstr("a name with [")) << source;
  EXPECT_EQ(first_doubt("ls a[bc]; [ -f x ]; a[0]=1"), "");
}

TEST(Parse, DoubtsBytesThatShellsDoNotTake) {
  EXPECT_THAT(first_doubt(std::string_view("a\0; b", 5)), HasSubstr("NUL"));
}

TEST(Parse, StopsAtItsBounds) {
  std::string groups;
  for (int i = 0; i < 50'000; ++i) groups += "{ ";
  EXPECT_THAT(first_doubt(groups), HasSubstr("deep"));
  EXPECT_THAT(parse(std::string(100'000, '(')).unknowns.back().reason, HasSubstr("deep"));
  std::string nested;
  for (int i = 0; i < 50'000; ++i) nested += "$((";
  EXPECT_FALSE(first_doubt("a " + nested).empty());
  for (const std::string_view open : {"$(", "\"$(", "${a:-", "\"${a:-", "<(", "x=(${a["}) {
    for (int depth = 20; depth < 80; ++depth) {
      std::string deep = "a ";
      for (int i = 0; i < depth; ++i) deep += open;
      EXPECT_FALSE(first_doubt(deep).empty()) << deep;
    }
  }
  std::string hidden;  // from whoever looks for the end of a ((
  for (int i = 0; i < 14'000; ++i) hidden += "((: #((((((\n);:)\n";
  EXPECT_FALSE(first_doubt(hidden).empty());
  std::string files = "a";
  for (size_t i = 0; i <= kMaxRedirections; ++i) files += " >b";
  EXPECT_THAT(first_doubt(files), HasSubstr("redirections"));
  EXPECT_THAT(first_doubt("a " + std::string(kMaxScript, 'x')), HasSubstr("longer"));
  std::string many;
  for (size_t i = 0; i <= kMaxCommands; ++i) many += "a\n";
  const Script script = parse(many);
  EXPECT_EQ(script.commands.size(), kMaxCommands);
  EXPECT_THAT(script.unknowns.at(0).reason, HasSubstr("commands"));
}

TEST(Parse, SaysWhatOnlyBashTakesSo) {
  for (const std::string_view source : {"a <(b)", "a &>b", "a |& b", "[[ a ]]", "a $'b'", "a <<<b"})
    EXPECT_TRUE(parse(source).bash_only) << source;
  EXPECT_FALSE(parse("a | b >c 2>&1 $(d) `e` ${f:-g}; case h in i) j;; esac").bash_only);
}

}  // namespace
}  // namespace helve::shell
