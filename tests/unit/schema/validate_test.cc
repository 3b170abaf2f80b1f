#include "schema/validate.h"

#include <gtest/gtest.h>

#include "schema/references.h"

namespace helve::schema {
namespace {

// Every problem as "path: message (hint)", joined by " | "; empty when the value fits.
std::string problems(std::string_view schema, std::string_view value, const Bounds& bounds = {}) {
  Result<Json> parsed = parse_json(schema, {.depth = 2'000});
  Result<Json> parsed_value = parse_json(value, {.depth = 2'000});
  if (!parsed || !parsed_value) return "the test itself is wrong";
  std::string out;
  for (const Problem& problem : validate(*parsed, *parsed_value, bounds)) {
    if (!out.empty()) out += " | ";
    out += (problem.path.empty() ? "" : problem.path + ": ") + problem.message;
    if (!problem.hint.empty()) out += " (" + problem.hint + ")";
  }
  return out;
}

struct Case {
  std::string_view schema, value, problems;
};
class ValidateCase : public testing::TestWithParam<Case> {};

TEST_P(ValidateCase, SaysWhatIsWrong) {
  EXPECT_EQ(problems(GetParam().schema, GetParam().value), GetParam().problems)
      << GetParam().schema;
}

INSTANTIATE_TEST_SUITE_P(
    AnyType, ValidateCase,
    testing::Values(Case{"true", "5", ""}, Case{"{}", "null", ""},
                    Case{"false", "5", "is not allowed here"},
                    Case{R"({"type":"string"})", R"("a")", ""},
                    Case{R"({"type":"string"})", "5", "expected a string, got 5"},
                    Case{R"({"type":["string","null"]})", "null", ""},
                    Case{R"({"type":["string","null"]})", "[]",
                         "expected a string or null, got an array"},
                    Case{R"({"type":"integer"})", "1.0", ""},
                    Case{R"({"type":"integer"})", "1.5", "expected an integer, got 1.5"},
                    Case{R"({"type":"number"})", "18446744073709551615", ""},
                    Case{R"({"type":"boolean"})", "0", "expected true or false, got 0"},
                    Case{R"({"enum":["red","green",1]})", "1.0", ""},
                    Case{R"({"enum":["red","green",1]})", R"("gren")",
                         "expected one of red, green, 1, got \"gren\" (did you mean 'green'?)"},
                    Case{R"({"const":{"a":[1,2]}})", R"({"a":[1.0,2]})", ""},
                    Case{R"({"const":0})", "false", "expected 0, got false"},
                    Case{R"({"format":"email"})", R"("no")", ""}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, ValidateCase,
    testing::Values(Case{R"({"minimum":1,"maximum":5})", "1", ""},
                    Case{R"({"minimum":1})", "0.5", "must be at least 1, got 0.5"},
                    Case{R"({"maximum":9007199254740993})", "9007199254740994",
                         "must be at most 9007199254740993, got 9007199254740994"},
                    Case{R"({"exclusiveMinimum":0})", "0", "must be more than 0, got 0"},
                    Case{R"({"exclusiveMaximum":2})", "2.0", "must be less than 2, got 2.0"},
                    Case{R"({"multipleOf":0.0001})", "0.0075", ""},
                    Case{R"({"multipleOf":0.01})", "0.075",
                         "must be a multiple of 0.01, got 0.075"},
                    Case{R"({"multipleOf":3})", "-9", ""},
                    Case{R"({"multipleOf":3})", "-9223372036854775808",
                         "must be a multiple of 3, got -9223372036854775808"},
                    Case{R"({"multipleOf":0})", "5", ""}, Case{R"({"minimum":5})", R"("a")", ""}));

INSTANTIATE_TEST_SUITE_P(
    Strings, ValidateCase,
    testing::Values(Case{R"({"maxLength":2})", "\"\xF0\x9F\x98\x80\xC3\xA9\"", ""},
                    Case{R"({"maxLength":2})", R"("abc")", "must have at most 2 characters, got 3"},
                    Case{R"({"minLength":1})", R"("")", "must have at least 1 characters, got 0"},
                    Case{R"({"pattern":"^a+$"})", R"("aa")", ""},
                    Case{R"({"pattern":"^a+$"})", R"("b")", "must match ^a+$, got \"b\""}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, ValidateCase,
    testing::Values(
        Case{R"({"items":{"type":"integer"}})", R"([1,"a",2,true])",
             "[1]: expected an integer, got \"a\" | [3]: expected an integer, got true"},
        Case{R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])",
             "[1]: is not allowed here"},
        Case{R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})", R"(["a",1])",
             "[1]: expected null, got 1"},
        Case{R"({"minItems":1,"maxItems":2})", "[1,2,3]", "must have at most 2 items, got 3"},
        Case{R"({"uniqueItems":true})", R"([{"a":1,"b":2},[],{"b":2,"a":1.0}])",
             "items 0 and 2 are the same"},
        Case{R"({"uniqueItems":true})", R"([1,true,"1",[1],null,0,false])", ""},
        Case{R"({"contains":{"type":"string"}})", "[1]",
             "must have at least 1 items of a certain kind, got 0"},
        Case{R"({"contains":{"type":"string"},"minContains":0,"maxContains":1})", R"(["a","b"])",
             "must have at most 1 items of a certain kind, got 2"},
        Case{R"({"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false})",
             R"([1,"a",2])", "[2]: is not allowed here"}));

INSTANTIATE_TEST_SUITE_P(
    Objects, ValidateCase,
    testing::Values(
        Case{R"({"properties":{"a":{"type":"string"}},"required":["a","b"]})", R"({"a":1})",
             "b: required, but missing | a: expected a string, got 1"},
        Case{R"({"properties":{"limit":{}},"additionalProperties":false})", R"({"limt":1})",
             "limt: unknown parameter (did you mean 'limit'?)"},
        Case{
            R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
            R"({"x1":"a","y":1})",
            "x1: expected an integer, got \"a\" | y: expected a string, got 1"},
        Case{R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})",
             "abc: must have at most 2 characters, got 3"},
        Case{R"({"minProperties":1,"maxProperties":1})", "{}",
             "must have at least 1 members, got 0"},
        Case{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})",
             "b: required when 'a' is given, but missing"},
        Case{R"({"dependentSchemas":{"a":{"required":["c"]}}})", R"({"a":1})",
             "c: required, but missing"},
        Case{R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})", R"({"a":1,"c":1})",
             "b: required when 'a' is given, but missing | d: required, but missing"},
        Case{R"({"properties":{"edits":{"items":{"properties":{"old_text":{"type":"string"}}}}}})",
             R"({"edits":[{},{},{"old_text":1}]})", "edits[2].old_text: expected a string, got 1"},
        Case{R"({"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false})",
             R"({"a":1,"b":2})", "b: is not allowed here"},
        Case{
            R"({"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":true}}],"unevaluatedProperties":false})",
            R"({"a":2,"b":2})", "a: is not allowed here"}));

INSTANTIATE_TEST_SUITE_P(
    Combined, ValidateCase,
    testing::Values(
        Case{R"({"allOf":[{"minimum":1},{"maximum":3}]})", "5", "must be at most 3, got 5"},
        Case{R"({"anyOf":[{"type":"string"},{"minimum":3}]})", "5", ""},
        Case{R"({"anyOf":[{"type":"string"},{"minimum":3}]})", "1",
             "fits none of the 2 alternatives (nearest: expected a string, got 1)"},
        Case{R"({"oneOf":[{"type":"integer"},{"minimum":3}]})", "5",
             "fits two alternatives, number 1 and 2, where exactly one is wanted"},
        Case{R"({"oneOf":[{"type":"integer"},{"minimum":3}]})", "3.5", ""},
        Case{R"({"not":{"type":"null"}})", "null", "is one of the values that are excluded"},
        Case{R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"const":1}})", "15",
             "must be a multiple of 10, got 15"},
        Case{R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"const":1}})", "2",
             "expected 1, got 2"},
        Case{R"({"if":{"properties":{"a":true}},"unevaluatedProperties":false})", R"({"a":1})",
             ""}));

INSTANTIATE_TEST_SUITE_P(
    References, ValidateCase,
    testing::Values(
        Case{R"({"$defs":{"p/q~r %":{"type":"string"}},"$ref":"#/$defs/p~1q~0r%20%25"})", "5",
             "expected a string, got 5"},
        Case{R"({"$defs":{"x":{"$anchor":"name","type":"string"}},"$ref":"#name"})", "5",
             "expected a string, got 5"},
        Case{R"({"$defs":{"x":{"$dynamicAnchor":"name","type":"string"}},"$dynamicRef":"#name"})",
             "5", "expected a string, got 5"},
        Case{
            R"({"$id":"https://a.example/root.json","$defs":{"x":{"$id":"sub/x.json","$defs":{"y":{"type":"string"}}}},"$ref":"sub/x.json#/$defs/y"})",
            "5", "expected a string, got 5"},
        Case{
            R"({"$defs":{"x":{"$id":"https://a.example/x","$ref":"#/$defs/y","$defs":{"y":{"type":"null"}}}},"$ref":"https://a.example/x"})",
            "5", "expected null, got 5"},
        Case{R"({"definitions":{"x":{"type":"string"}},"$ref":"#/definitions/x","minLength":2})",
             R"("a")", "must have at least 2 characters, got 1"},
        Case{R"({"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}})",
             R"({"next":{"next":{"n":"x"}}})", "next.next.n: expected an integer, got \"x\""},
        Case{R"({"$ref":"https://evil.example/schema.json"})", "5",
             "cannot be checked: the schema refers to 'https://evil.example/schema.json', which is "
             "not in it (references to other documents are not followed)"},
        Case{R"({"$ref":"#/nowhere"})", "5",
             "cannot be checked: the schema refers to '#/nowhere', which is not in it (references "
             "to other documents are not followed)"}));

TEST(Validate, EscapesKeysInPaths) {
  EXPECT_EQ(problems(R"({"additionalProperties":{"type":"null"}})", R"({"a\nb\u001b":1})"),
            "a\\nb\\x1b: expected null, got 1");
}

TEST(Validate, ListsAFewProblemsAndSaysThatThereAreMore) {
  std::string array = "[1";
  for (int i = 0; i < 10'000; ++i) array += ",1";
  const std::vector<Problem> found =
      validate(*parse_json(R"({"items":{"type":"string"}})"), *parse_json(array + "]"));
  EXPECT_EQ(found.size(), 51u);
  EXPECT_EQ(found.back().message, "further problems are not listed");
}

TEST(Validate, EndsOnSchemasThatApplyThemselves) {
  EXPECT_EQ(problems(R"({"$ref":"#"})", "5"),
            "nested more than 64 schemas deep (give a flatter value)");
  EXPECT_EQ(problems(R"({"not":{"$ref":"#"}})", "5"),
            "nested more than 64 schemas deep (give a flatter value)");
  EXPECT_EQ(problems(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})", "5"),
            "nested more than 64 schemas deep (give a flatter value)");
}

TEST(Validate, EndsOnDeepValues) {
  const std::string deep = std::string(1'000, '[') + std::string(1'000, ']');
  EXPECT_EQ(problems(R"({"items":{"$ref":"#"}})", deep),
            "nested more than 64 schemas deep (give a flatter value)");
  EXPECT_EQ(problems(R"({"type":"array"})", deep), "");
}

TEST(Validate, EndsOnSchemasThatMultiply) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 25; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
  }
  EXPECT_EQ(problems(schema + R"("d25":{}}})", "5"),
            "too much to check: more than 1000000 steps (give a smaller value)");
}

TEST(Validate, EndsOnPatternsThatBacktrack) {
  EXPECT_EQ(problems(R"({"pattern":"^(a+)+$"})", "\"" + std::string(1'000, 'a') + "!\""),
            "too much to check: matching ^(a+)+$ takes too long");
  EXPECT_EQ(problems(R"({"not":{"pattern":"^(a+)+$"}})", "\"" + std::string(1'000, 'a') + "!\""),
            "too much to check: matching ^(a+)+$ takes too long");
}

TEST(Validate, ChecksLargeArraysForTwinsInTime) {
  std::string array = "[0";
  for (int i = 1; i < 50'000; ++i) array += "," + std::to_string(i);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", array + "]"), "");
  EXPECT_EQ(problems(R"({"uniqueItems":true})", array + ",49999]"),
            "items 49999 and 50000 are the same");
}

TEST(Validate, TakesAnySchemaHoweverBroken) {
  for (std::string_view schema : {"5",
                                  "[]",
                                  "\"x\"",
                                  "null",
                                  R"({"type":5})",
                                  R"({"type":[5]})",
                                  R"({"enum":5})",
                                  R"({"properties":5})",
                                  R"({"properties":{"a":5}})",
                                  R"({"items":5})",
                                  R"({"allOf":5})",
                                  R"({"anyOf":[5]})",
                                  R"({"oneOf":{}})",
                                  R"({"not":5})",
                                  R"({"if":5})",
                                  R"({"required":5})",
                                  R"({"required":[5]})",
                                  R"({"pattern":5})",
                                  R"({"pattern":"["})",
                                  R"({"patternProperties":{"[":{}}})",
                                  R"({"$ref":5})",
                                  R"({"minimum":"a"})",
                                  R"({"minLength":-1})",
                                  R"({"multipleOf":-1})",
                                  R"({"dependentRequired":{"a":5}})",
                                  R"({"contains":5})",
                                  R"({"minContains":-5,"contains":true})",
                                  R"({"unevaluatedProperties":5})",
                                  R"({"x":{"unevaluatedItems":false},"$ref":"#/x"})"}) {
    for (std::string_view value : {"5", R"("a")", "[1,2]", R"({"a":1})", "null"})
      problems(schema, value);
  }
}

TEST(CheckSchema, TakesWhatTheValidatorKnows) {
  for (
      std::string_view schema :
      {"true", "{}", R"({"type":["string","null"],"minLength":1,"pattern":"^a"})",
       R"({"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a"}}})",
       R"({"properties":{"next":{"$ref":"#"}}})", R"({"$defs":{"a":{"$anchor":"x"}},"$ref":"#x"})",
       R"({"unknown":5,"x-custom":{"type":7}})"}) {
    Result<void> checked = check_schema(*parse_json(schema));
    EXPECT_TRUE(checked) << schema << ": " << (checked ? "" : checked.error().message);
  }
}

TEST(CheckSchema, SaysWhereASchemaIsBroken) {
  auto wrong = [](std::string_view schema) {
    Result<void> checked = check_schema(*parse_json(schema, {.depth = 2'000}));
    return checked ? "fine" : checked.error().message;
  };
  EXPECT_EQ(wrong("5"), "schema at #: expected a schema, got 5");
  EXPECT_EQ(wrong(R"({"properties":{"x":{"type":"strng"}}})"),
            "schema at #/properties/x: 'type' must be a type's name, got \"strng\"");
  EXPECT_EQ(wrong(R"({"items":{"minLength":-1}})"),
            "schema at #/items: 'minLength' must be a whole number from 0");
  EXPECT_EQ(wrong(R"({"multipleOf":0})"), "schema at #: 'multipleOf' must be a number above 0");
  EXPECT_EQ(wrong(R"({"required":[1]})"), "schema at #: 'required' must be a list of strings");
  EXPECT_EQ(wrong(R"({"allOf":[{},{"pattern":"("}]})"),
            "schema at #/allOf/1: invalid pattern '(': missing closing parenthesis at byte 1");
  EXPECT_EQ(
      wrong(R"({"patternProperties":{"[":{}}})"),
      "schema at #: invalid pattern '[': missing terminating ] for character class at byte 1");
  EXPECT_EQ(wrong(R"({"properties":{"x":{"$ref":"other.json"}}})"),
            "schema at #/properties/x: refers to 'other.json', which is not in it");
  EXPECT_EQ(wrong(R"({"x":{"type":7},"$ref":"#/x"})"),
            "schema at #/x: 'type' must be a type's name, got 7");
  EXPECT_EQ(wrong(R"({"$schema":"http://json-schema.org/draft-03/schema#"})"),
            "schema at #: written for 'http://json-schema.org/draft-03/schema#', which is not "
            "known here");
  EXPECT_EQ(wrong(R"({"$ref":"#"})"), "schema at #: refers to itself in a circle");
  EXPECT_EQ(wrong(R"({"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"}]}}})"),
            "schema at #/properties/x: refers to itself in a circle");
  std::string deep = "{}";
  for (int i = 0; i < 100; ++i) deep = R"({"items":)" + deep + "}";
  EXPECT_TRUE(wrong(deep).ends_with("nested more than 64 schemas deep"));
  std::string wide = R"({"anyOf":[true)";
  for (size_t i = 0; i < kMaxSubschemas; ++i) wide += ",true";
  EXPECT_EQ(wrong(wide + "]}"), "schema at #/anyOf/19999: more than 20000 schemas in one");
}

TEST(References, FollowPointersIntoListsAndRefuseBadOnes) {
  const Json document = *parse_json(R"({"allOf":[{"type":"string"},{"a":{"b":5}}]})");
  EXPECT_EQ(to_text(*at_pointer(document, "/allOf/0")), R"({"type":"string"})");
  EXPECT_EQ(to_text(*at_pointer(document, "/allOf/1/a/b")), "5");
  for (std::string_view bad : {"/allOf/2", "/allOf/-1", "/allOf/0x", "/allOf/", "/allOf/1/a/b/c",
                               "/nothing", "/allOf/99999999999999999999"}) {
    EXPECT_EQ(at_pointer(document, bad), nullptr) << bad;
  }
}

}  // namespace
}  // namespace helve::schema
