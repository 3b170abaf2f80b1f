#include "dispatch/arguments.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace helve::dispatch {
namespace {

std::string repaired(std::string_view text) {
  Result<Arguments> arguments = parse_arguments(text);
  if (!arguments) return arguments.error().type;
  return to_text(arguments->value) +
         (arguments->repairs.empty() ? "" : " | " + join(arguments->repairs, ", "));
}

TEST(Arguments, StayAsTheyAreWhenTheyAreRight) {
  EXPECT_EQ(repaired(R"({"a":"x,}","b":[1,2]})"), R"({"a":"x,}","b":[1,2]})");
  EXPECT_EQ(repaired("  "), "{}");
  EXPECT_EQ(repaired("null"), "{}");
}

TEST(Arguments, ThatAreNoJsonAreSaidToBeSoOnce) {
  EXPECT_EQ(parse_arguments("not json").error().message,
            "the arguments are not valid JSON: line 1, column 1: syntax error");
}

TEST(Arguments, AreRepairedWhereOnlyOneMeaningIsPossible) {
  EXPECT_EQ(repaired(R"({"a":[1,2,],})"), R"({"a":[1,2]} | removed a trailing comma)");
  EXPECT_EQ(repaired("```json\n{\"a\":1}\n```"), R"({"a":1} | removed a code fence)");
  EXPECT_EQ(repaired("{\"a\":\"x\ny\"}"),
            R"({"a":"x\ny"} | escaped a control character in a string)");
  EXPECT_EQ(repaired(R"({"re":"\d+"})"), R"({"re":"\\d+"} | escaped a backslash)");
  EXPECT_EQ(repaired(R"({"a":True,"b":None})"),
            R"({"a":true,"b":null} | read True as true, read None as null)");
  EXPECT_EQ(repaired(R"("{\"a\":1}")"), R"({"a":1} | decoded arguments that were encoded twice)");
}

TEST(Arguments, AreNotRepairedWhereTheMeaningIsUnclear) {
  EXPECT_EQ(repaired(R"({"content":"C:\\new\\dir"})"), R"({"content":"C:\\new\\dir"})");
  EXPECT_EQ(repaired(R"({"content":"C:\new\dir"})"), "invalid_json");
  EXPECT_EQ(repaired("{,}"), "invalid_json");
  EXPECT_EQ(repaired(R"({"a":[,]})"), "invalid_json");
  EXPECT_EQ(repaired(R"({"a":1,,})"), "invalid_json");
}

TEST(Arguments, AreNeverCompletedWhenTheyWereCutOff) {
  constexpr std::string_view kText =
      R"({"path":"a.txt","content":"line\nline","more":{"x":[1,2]}})";
  for (size_t i = 1; i < kText.size(); ++i)
    EXPECT_EQ(repaired(kText.substr(0, i)), "invalid_json") << kText.substr(0, i);
}

TEST(Arguments, MustBeAnObject) {
  EXPECT_EQ(repaired("[1]"), "invalid_json");
  EXPECT_EQ(repaired("7"), "invalid_json");
  EXPECT_EQ(repaired("path=a"), "invalid_json");
  EXPECT_EQ(repaired("{'a':1}"), "invalid_json");
}

}  // namespace
}  // namespace helve::dispatch
