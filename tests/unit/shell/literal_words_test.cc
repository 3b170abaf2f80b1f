// Tests of literal_words in shell/unwrap.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell/unwrap.h"

namespace helve::shell {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(LiteralWords, OfASimpleCommandAreWhatItsProgramGets) {
  EXPECT_THAT(literal_words("git status"), Optional(ElementsAre("git", "status")));
  EXPECT_THAT(literal_words("  git\tstatus ;\n# a comment\n"),
              Optional(ElementsAre("git", "status")));
  EXPECT_THAT(literal_words(R"(git commit -m 'a; $(b)' "c \"d\"" e\ f '')"),
              Optional(ElementsAre("git", "commit", "-m", "a; $(b)", "c \"d\"", "e f", "")));
  EXPECT_THAT(literal_words("git log \\\n -1"), Optional(ElementsAre("git", "log", "-1")));
}

TEST(LiteralWords, AreNotToldWhenMoreThanOneCommandRuns) {
  for (const char* script :
       {"git a; git b", "git a && git b", "git a || b", "git a | b", "git a\ngit b", "(git a)",
        "{ git a; }", "git() { :; }", "if git a; then b; fi", "while git a; do :; done",
        "[[ git ]]", "git a & b"})
    EXPECT_EQ(literal_words(script, Reader::bash), std::nullopt) << script;
}

TEST(LiteralWords, AreNotToldWhenTheShellDoesMoreThanRunIt) {
  for (const char* script :
       {"git a &", "! git a", "time git a", "A=b git a", "git a > b", "git a 2>&1", "git a <<< b",
        "git a << X\nb\nX\n", "coproc git a", "A=b"})
    EXPECT_EQ(literal_words(script, Reader::bash), std::nullopt) << script;
}

TEST(LiteralWords, AreNotToldWhenOneOfThemVaries) {
  for (const char* script : {"git $x", "git \"$x\"", "git $(b)", "git `b`", "git *.c", "git ~/a",
                             "git {a,b}", "git $((1+1))", "git <(b)", "$git a", "git \"${x:-y}\""})
    EXPECT_EQ(literal_words(script, Reader::bash), std::nullopt) << script;
}

TEST(LiteralWords, AreNotToldOfWhatNoShellTakes) {
  for (const char* script : {"", "# nothing", "git 'a", "git \"a", "git a )", "git a;; b"})
    EXPECT_EQ(literal_words(script, Reader::bash), std::nullopt) << script;
  EXPECT_EQ(literal_words(std::string_view("git a\0b", 7)), std::nullopt);
  EXPECT_EQ(literal_words("git " + std::string(kMaxScript, 'a')), std::nullopt);
}

TEST(LiteralWords, DependOnTheShellWhereShellsDiffer) {
  EXPECT_THAT(literal_words("git $'a\\tb'", Reader::bash), Optional(ElementsAre("git", "a\tb")));
  EXPECT_EQ(literal_words("git $'a\\tb'"), std::nullopt);
}

}  // namespace
}  // namespace helve::shell
