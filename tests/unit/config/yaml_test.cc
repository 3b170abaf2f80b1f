#include "config/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace helve::config {
namespace {

std::string json_of(std::string_view yaml) {
  const YamlDocument document = parse_yaml(yaml);
  std::string problems;
  for (const YamlProblem& problem : document.problems) {
    problems += fmt::format("{}: {}\n", problem.line, problem.message);
  }
  return problems.empty() ? to_text(document.value) : problems;
}

// The line and the beginning of the first problem, such as "3: anchors".
std::string first_problem(std::string_view yaml) {
  const YamlDocument document = parse_yaml(yaml);
  if (document.problems.empty()) return "none";
  return fmt::format("{}: {}", document.problems[0].line, document.problems[0].message);
}

TEST(Yaml, BecomesTheSameDataAsJson) {
  EXPECT_EQ(json_of("a: 1\nb: [x, y]\nc:\n  - d: true\n    e: {f: g}\n"),
            R"({"a":1,"b":["x","y"],"c":[{"d":true,"e":{"f":"g"}}]})");
}

TEST(Yaml, OfNothingIsAnEmptyObject) {
  EXPECT_EQ(json_of(""), "{}");
  EXPECT_EQ(json_of("\n\n"), "{}");
  EXPECT_EQ(json_of("# only a comment\n"), "{}");
  EXPECT_EQ(json_of("---\n"), "{}");
  EXPECT_EQ(json_of("---\n...\n"), "{}");
}

TEST(Yaml, TypesPlainScalarsByTheCoreSchema) {
  EXPECT_EQ(json_of("[true, False, TRUE, null, ~, Null]"), "[true,false,true,null,null,null]");
  EXPECT_EQ(json_of("[0, -1, +2, 010, 0x1F, 0o17]"), "[0,-1,2,10,31,15]");
  EXPECT_EQ(json_of("[1.5, -.5, 1., 1e3, 1.5E-2]"), "[1.5,-0.5,1.0,1000.0,0.015]");
}

TEST(Yaml, KeepsWordsThatOlderVersionsTookForBooleansAsText) {
  EXPECT_EQ(json_of("[yes, no, on, off, y, n, truE]"), R"(["yes","no","on","off","y","n","truE"])");
}

TEST(Yaml, KeepsWhatOnlyLooksLikeANumberAsText) {
  EXPECT_EQ(json_of("[1_000, 1.2.3, 0x, 0xZZ, '-', +, ., e5, .inf, .nan, 1e999, '12:30']"),
            R"(["1_000","1.2.3","0x","0xZZ","-","+",".","e5",".inf",".nan","1e999","12:30"])");
}

TEST(Yaml, KeepsIntegersOf64BitsExactly) {
  EXPECT_EQ(
      json_of(
          "[9223372036854775807, -9223372036854775808, 18446744073709551615, 9007199254740993]"),
      "[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993]");
}

TEST(Yaml, KeepsQuotedScalarsAsText) {
  EXPECT_EQ(json_of("[\"1\", 'true', \"\", '~', !!str 5]"), R"(["1","true","","~","5"])");
  EXPECT_EQ(json_of("a: |\n  line\n  two\n"), R"({"a":"line\ntwo\n"})");
}

TEST(Yaml, RemembersTheLineOfEverything) {
  const YamlDocument document =
      parse_yaml("tools:\n  deny:\n    - a\n    - b\nagents:\n  - id: x\n    tools: {ask: [q]}\n");
  EXPECT_EQ(document.lines.at("tools"), 1);
  EXPECT_EQ(document.lines.at("tools.deny"), 2);
  EXPECT_EQ(document.lines.at("tools.deny[1]"), 4);
  EXPECT_EQ(document.lines.at("agents[0].id"), 6);
  EXPECT_EQ(document.lines.at("agents[0].tools.ask[0]"), 7);
}

TEST(Yaml, ToleratesAByteOrderMarkAndWindowsLineEndings) {
  EXPECT_EQ(json_of("\xEF\xBB\xBF"
                    "a: 1\r\nb: x\r\n"),
            R"({"a":1,"b":"x"})");
}

TEST(Yaml, NamesTheLineOfASyntaxError) {
  EXPECT_TRUE(first_problem("a: 1\nb: [x\nc: 2\n").starts_with("3: "))
      << first_problem("a: 1\nb: [x\nc: 2\n");
  EXPECT_TRUE(first_problem("a: 1\n  b: 2\n").starts_with("2: "));
  EXPECT_TRUE(first_problem("a: 1\nb: [x\n").starts_with("3: ")) << first_problem("a: 1\nb: [x\n");
  EXPECT_TRUE(first_problem("a: 1\n]\n").starts_with("2: ")) << first_problem("a: 1\n]\n");
}

TEST(Yaml, RefusesAQuoteThatIsNeverClosed) {
  EXPECT_EQ(first_problem("a: \"open\n"), "2: a quote is never closed");
  EXPECT_EQ(first_problem("a: 'open"), "2: a quote is never closed");
}

TEST(Yaml, RefusesDuplicateKeysAndSaysWhereTheFirstIs) {
  EXPECT_EQ(json_of("a: 1\nb: 2\na: 3\n"), "3: a: this key is already on line 1\n");
  EXPECT_EQ(json_of("x:\n  a: 1\n  \"a\": [2]\ny: {b: 1, b: 2}\n"),
            "3: x.a: this key is already on line 2\n4: y.b: this key is already on line 4\n");
}

TEST(Yaml, RefusesAnchorsAliasesAndTags) {
  EXPECT_EQ(first_problem("a: &x 1\nb: *x\n"),
            "1: anchors (&name) are not supported; write the value out");
  EXPECT_EQ(first_problem("a: 1\nb: &m {c: d}\n"),
            "2: anchors (&name) are not supported; write the value out");
  EXPECT_NE(first_problem("a: *nothing\n"), "none");
  EXPECT_EQ(first_problem("a: !!binary aGk=\n"),
            "1: the tag 'tag:yaml.org,2002:binary' is not supported");
  EXPECT_EQ(first_problem("a: !own {b: c}\n"), "1: the tag '!own' is not supported");
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_EQ(first_problem("a: 1\n---\nb: 2\n"), "2: a second document begins; only one is allowed");
}

TEST(Yaml, RefusesKeysThatAreNotText) {
  EXPECT_EQ(first_problem("? [a, b]\n: 1\n"), "1: a key must be text, not a list or a mapping");
  EXPECT_EQ(first_problem("~: 1\n"), "1: a key must be text");
}

TEST(Yaml, BoundsDepth) {
  EXPECT_EQ(first_problem(std::string(32, '[') + std::string(32, ']')), "none");
  EXPECT_EQ(first_problem(std::string(33, '[') + std::string(33, ']')),
            "1: nested deeper than 32 levels");
  EXPECT_NE(first_problem(std::string(100'000, '[')), "none");
  EXPECT_NE(first_problem(std::string(100'000, '{')), "none");
}

TEST(Yaml, BoundsSize) {
  EXPECT_EQ(first_problem("a: " + std::string(kMaxYamlBytes, 'x')),
            "0: 1048579 bytes are over the limit of 1048576");
}

TEST(Yaml, RefusesTextThatIsNotUtf8AndSaysWhere) {
  EXPECT_EQ(first_problem("a: 1\nb: \xff\xfe\n"), "2: the text is not UTF-8");
  EXPECT_EQ(first_problem(std::string_view("a\0:\0 \0001\0", 9)),
            "1: the control character \\x00 is not allowed");
  EXPECT_EQ(first_problem("a: 1\nb: \x1b[31m\n"), "2: the control character \\x1b is not allowed");
}

TEST(Yaml, ShowsHostileKeysSafely) {
  const YamlDocument document = parse_yaml("\"a\\e[2J\\n\": 1\n");
  EXPECT_TRUE(document.lines.contains("a\\x1b[2J\\n"));
}

}  // namespace
}  // namespace helve::config
