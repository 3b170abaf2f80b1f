#include "model/formats.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sample_tools.h"

namespace helve::model {
namespace {

using Lower = Lowered (*)(std::span<const Offer>);

std::string shown(const Lowered& lowered) {
  JsonArray omitted;
  for (const Omitted& one : lowered.omitted)
    omitted.push_back(JsonObject{{"name", one.name}, {"reason", one.reason}});
  return to_pretty(JsonObject{{"tools", lowered.tools}, {"omitted", omitted}});
}

// What one foreign tool with this schema becomes: its parameters, or "omitted: " and the reason.
std::string lowered(Lower lower, std::string_view schema, std::string_view name = "tool") {
  const Offer offer{std::string(name), "Does it.",
                    parse_json(schema, {.depth = 1'000})->get_object()};
  const Lowered out = lower(std::span(&offer, 1));
  if (!out.omitted.empty()) return "omitted: " + out.omitted[0].reason;
  const Json& tool = out.tools.at(0);
  if (const Json* schema = find(tool, "input_schema")) return to_text(*schema);
  if (const Json* function = find(tool, "function")) return to_text(function->at("parameters"));
  const Json* parameters = find(tool, "parameters");
  return parameters ? to_text(*parameters) : "no parameters";
}

struct Golden {
  std::string_view file;
  Lower lower;
};

class FormatsGolden : public testing::TestWithParam<Golden> {};

TEST_P(FormatsGolden, AreAsInTheFile) {
  const std::string path =
      std::string(HELVE_TEST_DIR) + "/golden/formats/" + std::string(GetParam().file);
  const std::string now = shown(GetParam().lower(sample_offers()));
  if (std::getenv("ACCEPT")) std::ofstream(path) << now;
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(now, golden.str()) << "ACCEPT=1 rewrites " << path;
}

INSTANTIATE_TEST_SUITE_P(Providers, FormatsGolden,
                         testing::Values(Golden{"anthropic.json", to_anthropic},
                                         Golden{"openai.json", to_openai},
                                         Golden{"openai-strict.json", to_openai_strict},
                                         Golden{"gemini.json", to_gemini}));

TEST(Formats, StripTheSchemaUriAndGuaranteeAnObject) {
  constexpr std::string_view kBare =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})";
  for (Lower lower : {to_anthropic, to_openai}) {
    EXPECT_EQ(lowered(lower, kBare), R"({"type":"object","properties":{}})");
  }
  EXPECT_EQ(lowered(to_openai_strict, kBare),
            R"({"type":"object","properties":{},"required":[],"additionalProperties":false})");
  EXPECT_EQ(lowered(to_gemini, kBare), "no parameters");
}

TEST(Formats, KeepAPropertyThatIsNamedLikeAKeyword) {
  EXPECT_EQ(
      lowered(
          to_openai,
          R"({"type":"object","properties":{"$schema":{"type":"string"},"anyOf":{"type":"string"}}})"),
      R"({"type":"object","properties":{"$schema":{"type":"string"},"anyOf":{"type":"string"}}})");
}

TEST(Formats, LeaveOutBadNamesByName) {
  const std::string schema = R"({"type":"object"})";
  EXPECT_EQ(lowered(to_anthropic, schema, "has space"),
            "omitted: a name for anthropic has 1 to 64 letters, digits, _ or -");
  EXPECT_EQ(lowered(to_openai, schema, std::string(65, 'x')),
            "omitted: a name for openai has 1 to 64 letters, digits, _ or -");
  EXPECT_EQ(lowered(to_gemini, schema, "7zip"),
            "omitted: a name for gemini begins with a letter or _");
  EXPECT_EQ(lowered(to_openai, schema, "7zip"), R"({"type":"object","properties":{}})");
  EXPECT_EQ(lowered(to_anthropic, schema, ""),
            "omitted: a name for anthropic has 1 to 64 letters, digits, _ or -");
}

TEST(Formats, LeaveOutOneToolAndKeepTheOthers) {
  const std::vector<Offer> offers = {{"good", "A", {{"type", "object"}}},
                                     {"bad name", "B", {{"type", "object"}}},
                                     {"good", "C", {{"type", "object"}}},
                                     {"broken", "D", {{"type", 5}}},
                                     {"fine", "E", {{"type", "object"}}}};
  const Lowered out = to_openai(offers);
  EXPECT_EQ(out.tools.size(), 2u);
  ASSERT_EQ(out.omitted.size(), 3u);
  EXPECT_EQ(out.omitted[0].name, "bad name");
  EXPECT_EQ(out.omitted[1].reason, "another tool is offered under this name");
  EXPECT_EQ(out.omitted[2].reason,
            "its schema cannot be used: schema at #: 'type' must be a type's name, got 5");
}

TEST(Formats, StopAtTheNumberOfToolsOpenAiTakes) {
  std::vector<Offer> offers;
  for (int i = 0; i < 130; ++i)
    offers.push_back({"t" + std::to_string(i), "d", {{"type", "object"}}});
  EXPECT_EQ(to_openai(offers).tools.size(), 128u);
  EXPECT_EQ(to_openai(offers).omitted.at(1).name, "t129");
  EXPECT_EQ(to_openai(offers).omitted.at(1).reason, "openai takes at most 128 tools");
  EXPECT_EQ(to_anthropic(offers).tools.size(), 130u);
}

TEST(Formats, NameTheParameterThatAnthropicRefuses) {
  EXPECT_EQ(
      lowered(to_anthropic, R"({"type":"object","properties":{"$filter":{}}})"),
      "omitted: parameter '$filter' has a name other than 1 to 64 letters, digits, _, - or .");
}

TEST(Formats, RefuseARootThatIsNoObject) {
  for (Lower lower : {to_anthropic, to_openai, to_openai_strict, to_gemini}) {
    EXPECT_EQ(lowered(lower, R"({"type":"string"})"), "omitted: its input is not an object");
    EXPECT_EQ(lowered(lower, R"({"anyOf":[{"type":"string"},{"type":"null"}]})"),
              "omitted: its input is not an object");
  }
}

TEST(Formats, FlattenARootThatChoosesBetweenRequiredSets) {
  EXPECT_EQ(
      lowered(to_anthropic,
              R"({"type":"object","properties":{"id":{},"title":{},"body":{}},"required":["id"],
                                      "anyOf":[{"required":["title"]},{"required":["body"]}]})"),
      R"({"type":"object","description":"Takes one of these sets of parameters: title; body.",)"
      R"("properties":{"id":{},"title":{},"body":{}},"required":["id"]})");
}

TEST(Formats, FlattenARootOfAlternatives) {
  EXPECT_EQ(
      lowered(
          to_openai,
          R"({"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]},
                                            {"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}]})"),
      R"({"type":"object","description":"Takes one of these sets of parameters: kind, x; kind.",)"
      R"("properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"integer"}},"required":["kind"]})");
}

TEST(Formats, FlattenARootOfPartsAndReferences) {
  EXPECT_EQ(
      lowered(to_openai,
              R"({"$defs":{"base":{"properties":{"a":{"type":"string"}},"required":["a"]}},
                                   "allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"$ref":"#/$defs/base/properties/a"}}}]})"),
      R"({"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/base/properties/a"}},"required":["a"],)"
      R"("$defs":{"base":{"properties":{"a":{"type":"string"}},"required":["a"]}}})");
}

TEST(Formats, RefuseAReferenceIntoWhatFlatteningTookAway) {
  EXPECT_EQ(
      lowered(
          to_openai,
          R"({"allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":{"$ref":"#/allOf/0/properties/a"}}})"),
      "omitted: its input cannot be flattened: schema at #/properties/b: refers to "
      "'#/allOf/0/properties/a', which is not in it");
}

TEST(Formats, NeverFetchAReferenceToElsewhere) {
  for (Lower lower : {to_anthropic, to_openai, to_openai_strict, to_gemini}) {
    EXPECT_EQ(
        lowered(lower,
                R"({"type":"object","properties":{"a":{"$ref":"https://evil.example/x.json"}}})"),
        "omitted: its schema cannot be used: schema at #/properties/a: refers to "
        "'https://evil.example/x.json', which is not in it");
  }
}

TEST(Formats, InlineReferencesWhereTheSubsetHasNone) {
  constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"to":{"$ref":"#/$defs/person","description":"Who"}},"required":["to"],
                                           "$defs":{"person":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}})";
  EXPECT_EQ(
      lowered(to_gemini, kSchema),
      R"({"type":"OBJECT","properties":{"to":{"type":"OBJECT","properties":{"name":{"type":"STRING"}},"required":["name"],)"
      R"("description":"Who"}},"required":["to"]})");
  EXPECT_EQ(
      lowered(to_openai_strict, kSchema),
      R"({"type":"object","properties":{"to":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],)"
      R"("additionalProperties":false,"description":"Who"}},"required":["to"],"additionalProperties":false})");
}

TEST(Formats, LeaveOutRecursionWhereItCannotBeSaid) {
  constexpr std::string_view kTree =
      R"({"type":"object","properties":{"root":{"$ref":"#/$defs/node"}},
      "$defs":{"node":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}})";
  EXPECT_EQ(lowered(to_openai_strict, kTree),
            "omitted: parameter 'root.children[]' refers to itself (#/$defs/node)");
  EXPECT_EQ(lowered(to_gemini, kTree),
            "omitted: parameter 'root.children[]' refers to itself (#/$defs/node)");
  EXPECT_TRUE(lowered(to_anthropic, kTree).starts_with(R"({"type":"object")"));
}

TEST(Formats, LeaveOutWhatIsTooDeepOrGrowsTooLarge) {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 40; ++i) deep = R"({"type":"object","properties":{"p":)" + deep + "}}";
  EXPECT_TRUE(lowered(to_gemini, deep).ends_with("is nested too deep"));
  EXPECT_TRUE(lowered(to_openai, deep).starts_with("{"));
  for (int i = 0; i < 40; ++i) deep = R"({"type":"object","properties":{"p":)" + deep + "}}";
  EXPECT_TRUE(lowered(to_openai, deep).ends_with("nested more than 64 schemas deep"));

  std::string bomb = R"({"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{)";
  for (int i = 0; i < 13; ++i) {
    const std::string next = "\"#/$defs/d" + std::to_string(i + 1) + "\"";
    bomb += "\"d" + std::to_string(i) + R"(":{"type":"object","properties":{"a":{"$ref":)" + next +
            R"(},"b":{"$ref":)" + next + "}}},";
  }
  bomb += R"("d13":{"type":"string"}}})";
  EXPECT_TRUE(lowered(to_gemini, bomb).ends_with("makes the schema larger than 5000 parts"));
  EXPECT_TRUE(lowered(to_openai_strict, bomb).ends_with("makes the schema larger than 5000 parts"));
}

TEST(Formats, SayNullableAsEachProviderDoes) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{
      "a":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"A"},
      "b":{"type":["integer","null"]},
      "c":{"enum":["x","y",null]}},"required":["a","b","c"]})";
  EXPECT_EQ(
      lowered(to_gemini, kSchema),
      R"({"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true,"description":"A"},"b":{"type":"INTEGER","nullable":true},)"
      R"("c":{"type":"STRING","format":"enum","enum":["x","y"],"nullable":true}},"required":["a","b","c"]})");
  EXPECT_EQ(
      lowered(to_openai_strict, kSchema),
      R"({"type":"object","properties":{"a":{"type":["string","null"],"description":"A"},"b":{"type":["integer","null"]},)"
      R"("c":{"type":["string","null"],"enum":["x","y",null]}},"required":["a","b","c"],"additionalProperties":false})");
}

TEST(Formats, FlattenAlternativesOfOneType) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{
      "a":{"oneOf":[{"const":"x"},{"const":"y"}]},
      "b":{"anyOf":[{"type":"string","minLength":1},{"type":"string","pattern":"^z"}]},
      "c":{"type":"string","allOf":[{"minLength":2},{"maxLength":5,"minLength":1}]}},"required":["a","b","c"]})";
  EXPECT_EQ(
      lowered(to_gemini, kSchema),
      R"({"type":"OBJECT","properties":{"a":{"type":"STRING","format":"enum","enum":["x","y"]},"b":{"type":"STRING"},)"
      R"("c":{"type":"STRING","minLength":2,"maxLength":5}},"required":["a","b","c"]})");
}

TEST(Formats, KeepAlternativesOfSeveralTypes) {
  constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"a":{"type":["string","integer","null"],"minimum":1,"description":"A"}},"required":["a"]})";
  EXPECT_EQ(
      lowered(to_gemini, kSchema),
      R"({"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING","description":"A","nullable":true},)"
      R"({"type":"INTEGER","minimum":1,"description":"A","nullable":true}]}},"required":["a"]})");
  EXPECT_EQ(
      lowered(to_openai_strict, kSchema),
      R"({"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer","minimum":1},{"type":"null"}],)"
      R"("description":"A"}},"required":["a"],"additionalProperties":false})");
}

TEST(Formats, LeaveOutWhatCannotBeSatisfied) {
  EXPECT_EQ(
      lowered(
          to_gemini,
          R"({"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"type":"array"}]}}})"),
      "omitted: parameter 'a' contradicts itself");
}

std::string with_parameter(std::string_view parameter) {
  return fmt::format(R"({{"type":"object","properties":{{"p":{}}}}})", parameter);
}

TEST(Formats, AskForTextWhereTheSubsetCannotSayWhatIsHeld) {
  auto gemini = [](std::string_view parameter) {
    const Json schema = *parse_json(lowered(to_gemini, with_parameter(parameter)));
    const Json& p = schema.at("properties").at("p");
    return std::string(p.at("type").get_string()) + ": " +
           std::string(p.at("description").get_string());
  };
  EXPECT_EQ(gemini(R"({"type":"object","additionalProperties":{"type":"string"},
                       "description":"Variables","maxProperties":9})"),
            R"x(STRING: Variables (a JSON object written as a string, such as {"NAME": "value"}; )x"
            "members: at most 9)");
  EXPECT_EQ(gemini(R"({"type":"object","additionalProperties":{"type":"integer"}})"),
            R"x(STRING: (a JSON object written as a string, such as {"NAME": 1}))x");
  EXPECT_EQ(gemini(R"({"type":"object"})"),
            R"x(STRING: (a JSON object written as a string, such as {"NAME": "value"}))x");
  EXPECT_EQ(gemini(R"({"type":"array"})"),
            R"x(STRING: (a JSON list written as a string, such as ["a", 1]))x");
  EXPECT_EQ(gemini(R"({"prefixItems":[{"type":"string"}]})"),
            R"x(STRING: (a JSON list written as a string, such as ["a", 1]))x");
  EXPECT_EQ(
      gemini(R"({"type":"object","properties":{"a":{"type":"string"}},
                       "additionalProperties":{"type":"integer"}})"),
      R"x(STRING: (a JSON object written as a string, such as {"NAME": "value"}; its schema: )x"
      R"x({"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}))x");
}

TEST(Formats, TextMayBeLeftOutWhereTheObjectMay) {
  constexpr std::string_view kText =
      R"x("description":"(a JSON object written as a string, such as {\"NAME\": \"value\"})")x";
  EXPECT_EQ(lowered(to_openai_strict, with_parameter(R"({"type":"object"})")),
            fmt::format(R"({{"type":"object","properties":{{"p":{{"type":["string","null"],{}}}}},)"
                        R"("required":["p"],"additionalProperties":false}})",
                        kText));
  EXPECT_EQ(lowered(to_openai_strict,
                    R"({"type":"object","properties":{"p":{"type":"object"}},"required":["p"]})"),
            fmt::format(R"({{"type":"object","properties":{{"p":{{"type":"string",{}}}}},)"
                        R"("required":["p"],"additionalProperties":false}})",
                        kText));
  EXPECT_EQ(lowered(to_gemini, with_parameter(R"({"type":["object","null"]})")),
            fmt::format(R"({{"type":"OBJECT","properties":{{"p":{{"type":"STRING",)"
                        R"("nullable":true,{}}}}}}})",
                        kText));
}

TEST(Formats, LeaveOutWhatTextCannotTell) {
  const std::string strict = ", which strict mode cannot express",
                    gemini = ", which Gemini's schemas cannot express";
  EXPECT_EQ(lowered(to_openai_strict, with_parameter("true")),
            "omitted: parameter 'p' takes any JSON" + strict);
  EXPECT_EQ(lowered(to_gemini, with_parameter("{}")),
            "omitted: parameter 'p' takes any JSON" + gemini);
  for (Lower lower : {to_openai_strict, to_gemini}) {
    EXPECT_EQ(lowered(lower, with_parameter(R"({"type":["string","object"]})")),
              "omitted: parameter 'p' is a string or something that has to be written as one, and "
              "nobody could tell which");
  }
  EXPECT_EQ(lowered(to_gemini, R"({"type":"object","additionalProperties":{"type":"string"}})"),
            "omitted: its input is a map" + gemini);
  for (const char* root : {R"({"type":"object","additionalProperties":{"type":"string"}})",
                           R"({"type":"object","patternProperties":{"^x":{}}})"})
    EXPECT_EQ(lowered(to_openai_strict, root), "omitted: its input is a map" + strict) << root;
}

TEST(Formats, SayWhatToDoAboutAToolThatIsLeftOut) {
  const Offer offer{"query", "Asks.", parse_json(with_parameter("{}"))->get_object()};
  EXPECT_EQ(to_gemini(std::span(&offer, 1)).omitted.at(0).text(),
            "query is left out: parameter 'p' takes any JSON, which Gemini's schemas cannot "
            "express; give it a type in the tool's schema");
  const Offer tree{"tree", "", *parse_json(R"({"$ref":"#"})")->if_object()};
  EXPECT_TRUE(to_openai(std::span(&tree, 1))
                  .omitted.at(0)
                  .text()
                  .ends_with("; change the tool's schema, or use another provider"));
}

TEST(Formats, TellTheModelWhatTheSchemaCannot) {
  EXPECT_EQ(
      lowered(to_openai_strict,
              R"x({"type":"object","properties":{"a":{"type":"string","minLength":1,"maxLength":9,
                                          "format":"uri","pattern":"^(?!x)","default":"b","description":"An A"}},"required":["a"]})x"),
      R"x({"type":"object","properties":{"a":{"type":"string","description":"An A (default: \"b\"; 1 to 9 characters; matches ^(?!x); format uri)"}},)x"
      R"("required":["a"],"additionalProperties":false})");
  EXPECT_EQ(
      lowered(
          to_gemini,
          R"({"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":0,"enum":[1,2],"multipleOf":1},
                                   "b":{"type":"number","exclusiveMaximum":1.5},"c":{"type":"array","items":{"type":"string"},"uniqueItems":true}}})"),
      R"x({"type":"OBJECT","properties":{"a":{"type":"INTEGER","minimum":1,"description":"(a multiple of 1; one of 1, 2)"},)x"
      R"x("b":{"type":"NUMBER","description":"(less than 1.5)"},"c":{"type":"ARRAY","items":{"type":"STRING"},"description":"(no item twice)"}}})x");
}

TEST(Formats, KeepTheBoundsOfIntegersAtTheirEnds) {
  EXPECT_EQ(
      lowered(
          to_gemini,
          R"({"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":9223372036854775807}}})"),
      R"x({"type":"OBJECT","properties":{"a":{"type":"INTEGER","description":"(more than 9223372036854775807)"}}})x");
}

TEST(Formats, RefuseWhatIsOverTheLimitsOfStrictMode) {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 12; ++i) deep = R"({"type":"object","properties":{"p":)" + deep + "}}";
  EXPECT_EQ(lowered(to_openai_strict, deep).substr(0, 10), "omitted: p");
  std::string values;
  for (int i = 0; i < 1001; ++i) values += (i ? "," : "") + std::to_string(i);
  EXPECT_EQ(lowered(to_openai_strict,
                    R"({"type":"object","properties":{"a":{"enum":[)" + values + "]}}}"),
            "omitted: parameter 'a' has more than 1000 values to choose from, which strict mode "
            "cannot express");
}

TEST(Formats, AnyNameBecomesAValidOne) {
  const struct {
    std::string name, valid;
  } cases[] = {
      {"read", "read"},
      {"mcp__files__read-all", "mcp__files__read-all"},
      {"files.read:0", "files_read_0"},
      {"read file\n", "read_file_"},
      {"l\xc3\xa9s\xff", "l__s_"},
      {"", "unknown"},
      {"9-lives", "9-lives"},
      {std::string(70, 'a'), std::string(64, 'a')},
  };
  for (const auto& each : cases) EXPECT_EQ(valid_name(each.name), each.valid) << each.name;
}

}  // namespace
}  // namespace helve::model
