#include "schema/texts.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/text.h"

namespace helve::schema {
namespace {

// The value after it, and what nobody asked for; "as it was" when nothing was decoded.
std::string decoded(std::string_view schema, std::string_view value) {
  const auto out = decode_texts(parse_json(schema)->get_object(), *parse_json(value));
  if (!out) return "as it was";
  return to_text(out->value) + (out->unasked.empty() ? "" : " | " + join(out->unasked, ", "));
}

constexpr std::string_view kSchema = R"({"type":"object","properties":{
    "env":{"type":"object","additionalProperties":{"type":"string"}},
    "any":{"type":"object"},
    "list":{"type":"array"},
    "edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"}}}},
    "at":{"type":"object","properties":{"x":{"type":"integer"}}},
    "text":{"type":"string","maxLength":8},
    "either":{"type":["string","object"]},
    "maybe":{"anyOf":[{"type":"object"},{"type":"null"}]}}})";

TEST(Texts, BecomeTheObjectsThatTheyWereAskedToBe) {
  EXPECT_EQ(decoded(kSchema, R"({"env":"{\"A\": \"b\"}","any":" {}","list":"[1]"})"),
            R"({"env":{"A":"b"},"any":{},"list":[1]})");
  EXPECT_EQ(decoded(kSchema, R"({"maybe":"{\"a\":1}"})"), R"({"maybe":{"a":1}})");
  EXPECT_EQ(decoded(R"({"type":"array","items":{"type":"object"}})", R"([{},"{\"a\":1}"])"),
            R"([{},{"a":1}])");
  EXPECT_EQ(decoded(R"({"$ref":"#/$defs/m","$defs":{"m":{"type":"object"}}})", R"("{}")"), "{}");
}

TEST(Texts, AreToldWhereNobodyAskedForThem) {
  EXPECT_EQ(decoded(kSchema, R"({"edits":"[{\"old\":\"a\"}]","at":"{\"x\":1}"})"),
            R"({"edits":[{"old":"a"}],"at":{"x":1}} | edits, at)");
  EXPECT_EQ(decoded(kSchema, R"({"edits":["{\"old\":\"a\"}"]})"),
            R"({"edits":[{"old":"a"}]} | edits[0])");
}

TEST(Texts, StayStringsWhereTheSchemaTakesOne) {
  EXPECT_EQ(decoded(kSchema, R"({"text":"{}","either":"{}"})"), "as it was");
  EXPECT_EQ(decoded(kSchema, R"({"text":"{\"long\": 1}"})"), "as it was");
  EXPECT_EQ(decoded(R"({"type":"object"})", R"({"a":"{}"})"), "as it was");
}

TEST(Texts, StayStringsWhereTheyWouldNotFitEither) {
  EXPECT_EQ(decoded(kSchema, R"({"env":"[1]"})"), "as it was");
  EXPECT_EQ(decoded(kSchema, R"({"env":"{A=b}"})"), "as it was");
  EXPECT_EQ(decoded(kSchema, R"({"env":"A=b"})"), "as it was");
  EXPECT_EQ(decoded(kSchema, R"({"env":"\"{}\""})"), "as it was");
}

TEST(Texts, AreCheckedLikeAnythingElseOnceDecoded) {
  EXPECT_EQ(decoded(kSchema, R"({"env":"{\"A\": 1}"})"), R"({"env":{"A":1}})");
}

}  // namespace
}  // namespace helve::schema
