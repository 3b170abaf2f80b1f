#include "jsonata/jsonata.h"

#include <gtest/gtest.h>

namespace helve::jsonata {
namespace {

struct Answer {
  std::string text;  // JSON, or empty for nothing
  std::string code;  // of the error
  Error error;
};

Answer ask(std::string_view source, std::string_view data = "", Options options = {}) {
  const auto expression = Expression::compile(source);
  if (!expression) return {"", expression.error().type, expression.error()};
  std::optional<Document> document;
  if (!data.empty()) {
    auto parsed = Document::parse(data);
    if (!parsed) return {"", parsed.error().type, parsed.error()};
    document = std::move(*parsed);
  }
  const auto output = expression->evaluate(document ? &*document : nullptr, options);
  if (!output) return {"", output.error().type, output.error()};
  if (output->is_undefined()) return {};
  return {*output->json(), "", {}};
}

// A clock that moves by a millisecond whenever somebody looks.
Options with_time_limit(std::chrono::milliseconds limit) {
  Options options;
  options.limits.time = limit;
  options.elapsed = [passed = std::make_shared<int>(0)] {
    return std::chrono::milliseconds(++*passed);
  };
  return options;
}

std::string records(size_t count) {
  std::string out = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out += "{\"id\":" + std::to_string(i) + ",\"key\":\"k" + std::to_string(i * 7919 % count) +
           "\",\"kind\":\"" + std::to_string(i % 10) + "\"}";
  }
  return out + "]";
}

TEST(Jsonata, FindsWhatAPathNames) {
  EXPECT_EQ(ask("a.b", R"({"a":[{"b":1},{"b":[2,3]}]})").text, "[1,2,3]");
  EXPECT_EQ(ask("a.c", R"({"a":[{"b":1}]})").text, "");
}

TEST(Jsonata, TellsTypeAndCount) {
  const auto expression = Expression::compile("a");
  const auto document = Document::parse(R"({"a":[1,2,3]})");
  const auto output = expression->evaluate(&*document, {});
  EXPECT_EQ(output->type_name(), "array");
  EXPECT_EQ(output->count(), 3u);
}

TEST(Jsonata, TakesTheLastOfTwoMembersAndPutsWholeNumbersFirst) {
  EXPECT_EQ(ask("$", R"({"b":1,"10":2,"2":3,"b":4})").text, R"({"2":3,"10":2,"b":4})");
}

TEST(Jsonata, AnErrorHasCodePositionAndToken) {
  const Answer answer = ask("1 + \"a\"");
  EXPECT_EQ(answer.code, "T2002");
  EXPECT_EQ(to_text(answer.error.details),
            R"({"code":"T2002","position":3,"token":"+","value":"\"a\""})");
  EXPECT_EQ(ask("\"ä🎈\" + 1").error.details.at("position"), 7);
  EXPECT_EQ(ask("(1").code, "S0203");
}

TEST(Jsonata, VariablesAreBound) {
  const auto bindings = Document::parse(R"({"x": 21, "list": [1, 2]})");
  Options options;
  options.bindings = &*bindings;
  EXPECT_EQ(ask("$x * 2 + $count($list)", "", options).text, "44");
}

TEST(Jsonata, ATransformChangesWhatACloneOfTheExpressionsOwnGives) {
  EXPECT_EQ(ask("($clone := function($x){ $x }; $ ~> |a|{\"b\": 2}|)", R"({"a":{"c":1}})").text,
            R"({"a":{"c":1,"b":2}})");
}

TEST(Jsonata, TimeIsWhatTheCallerSays) {
  Options options;
  options.now = 1'700'000'000'000;
  EXPECT_EQ(ask("$now() & $millis()", "", options).text,
            R"("2023-11-14T22:13:20.000Z1700000000000")");
}

TEST(Document, RefusesWhatIsNoJson) {
  for (const std::string_view text :
       {"{", "[1,]", "[1 2]", "{\"a\" 1}", "01", "1.", "\"\t\"", "\"\\x\"", "\"\xff\"", "tru",
        "[]]", "\"\\u12\"", "-", "{\"a\":1,}", "\"abc"})
    EXPECT_EQ(ask("$", text).code, "invalid_json") << text;
}

TEST(Document, BoundsItsDepth) {
  EXPECT_EQ(ask("$", std::string(1'000'000, '[')).error.code, Code::too_large);
  const std::string deep(Document::kMaxDepth, '[');
  EXPECT_EQ(ask("$count(**)", deep + std::string(Document::kMaxDepth, ']')).text, "0");
}

TEST(Document, ReadsStringsAcrossEveryLength) {
  for (size_t length = 0; length < 70; ++length) {
    const std::string plain(length, 'x');
    EXPECT_EQ(ask("a & $length(b)", "{\"a\":\"" + plain + "\",\"b\":\"" + plain + "\\n\"}").text,
              "\"" + plain + std::to_string(length + 1) + "\"");
  }
}

// The second object is read with the first one's members as a guess of where its own are.
TEST(Document, AGuessFromMembersThatWereRearrangedIsNotTaken) {
  EXPECT_EQ(ask("$", R"([{"b":0,"1":{"p":[-1]}},{"c":{"x":1,"y":"a text of some length"}}])").text,
            R"([{"1":{"p":[-1]},"b":0},{"c":{"x":1,"y":"a text of some length"}}])");
  EXPECT_EQ(ask("$", R"([{"b":0,"b":{"p":[-1]}},{"c":{"x":1,"y":"a text of some length"}}])").text,
            R"([{"b":{"p":[-1]}},{"c":{"x":1,"y":"a text of some length"}}])");
}

// What a tail call or a predicate leaves behind is given back, but not what is still used.
TEST(Scratch, AFunctionThatATailCallMakesKeepsItsParameters) {
  EXPECT_EQ(ask("function(){ function($x, $y){ $x + $y }(2, 6) }()").text, "8");
}

TEST(Scratch, AFunctionThatATailCallMakesKeepsItsContext) {
  EXPECT_EQ(
      ask("($f := function($n){ ({\"a\": $n}.function($m){ $m = 0 ? a : $f($m - 1) })($n - 1) };"
          " $f(31))")
          .text,
      "1");
}

TEST(Scratch, WhatAPredicateChangesOutsideStaysValid) {
  EXPECT_EQ(ask("($clone := function($x){ $x }; $o := {\"a\": {\"b\": 1}};"
                " $n := [1..50][($o ~> |a|{\"b\": \"x\" & $string($millis()) & "
                "\"yyyyyyyyyyyyyyyy\"}|; true)];"
                " $m := [1..50].(\"z\" & $string($)); $o.a.b)")
                .text,
            "\"x0yyyyyyyyyyyyyyyy\"");
}

TEST(Jsonata, StopsWritingWhenNobodyWantsMore) {
  const auto expression = Expression::compile("[1..100000]");
  const auto output = expression->evaluate(nullptr, {});
  size_t pieces = 0;
  const Result<void> written = output->write(Output::Layout::compact, [&](std::string_view) {
    ++pieces;
    return false;
  });
  EXPECT_TRUE(written) << written.error().message;
  EXPECT_EQ(pieces, 1u);
}

TEST(Limits, EndlessRecursionEnds) {
  EXPECT_EQ(ask("($f := function($n){ 1 + $f($n + 1) }; $f(0))").code, "D1011");
}

TEST(Limits, AnEndlessLoopEndsWithTheTime) {
  EXPECT_EQ(ask("($f := function($n){ $f($n + 1) }; $f(0))", "",
                with_time_limit(std::chrono::milliseconds(100)))
                .code,
            "D1012");
}

TEST(Limits, ATailCallDoesNotEatMemory) {
  Options options;
  options.limits.memory = 4u << 20;
  EXPECT_EQ(ask("($f := function($n, $s){ $n = 0 ? $s : $f($n - 1, $s + $n) }; $f(300000, 0))", "",
                options)
                .text,
            "45000150000");
}

TEST(Limits, MemoryIsBounded) {
  Options options;
  options.limits.memory = 64u << 20;
  for (const std::string_view eater :
       {"[1..1e7]", "$reduce([1..60], function($s, $i){ $s & $s }, \"xxxxxxxxxxxxxxxx\")",
        "$pad(\"\", 1e12)", "$reduce([1..60], function($a, $i){ $append($a, $a) }, [1, 2])",
        "$join($map([1..100000], function($i){ $pad(\"x\", 10000) }))"})
    EXPECT_EQ(ask(eater, "", options).code, "D2016") << eater;
}

TEST(Limits, DeepDataAndDeepExpressionsAreRefusedNotFatal) {
  EXPECT_EQ(ask("$string($reduce([1..300000], function($a, $b){ {\"a\": $a} }))").code, "D1011");
  EXPECT_EQ(ask(std::string(100'000, '(')).code, "D1011");
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_EQ(ask(sum).code, "D1011");
}

TEST(Limits, ARegularExpressionThatTakesForeverEnds) {
  EXPECT_EQ(ask("$match($pad(\"\", 5000, \"a\"), /(a+)+[bc]/)").code, "D1012");
}

TEST(Limits, ASignatureWithManyWaysToFitIsTriedInOnePass) {
  std::string parameters, types, values;
  for (int i = 0; i < 15; ++i) {
    parameters += "$p" + std::to_string(i) + ", ";
    types += "x+";
  }
  for (int i = 0; i < 200; ++i) values += "1, ";
  EXPECT_EQ(ask("function(" + parameters + "$z)<" + types + "n>{ 1 }(" + values + "\"a\")").code,
            "T0410");
}

TEST(Limits, ExpressionsThatAreEvaluatedTakeMemoryToo) {
  Options options;
  options.limits.memory = 16u << 20;
  EXPECT_EQ(ask("$map([1..100000], function($i){ $eval(\"[\" & $i & \"]\") })", "", options).code,
            "D2016");
}

TEST(Limits, TheItemsOfALargeDocumentTakeMemoryToo) {
  Options options;
  options.limits.memory = 1u << 20;
  std::string data = "[0";
  for (int i = 0; i < 100'000; ++i) data += ",1";
  EXPECT_EQ(ask("$reverse($)", data + "]", options).code, "D2016");
}

// With anything quadratic these would not end in the time that a test has.
TEST(Limits, ManyRecordsAreHandledInOnePass) {
  const std::string data = records(300'000);
  EXPECT_EQ(ask("$count($[id >= 150000])", data).text, "150000");
  EXPECT_EQ(ask("$count($keys(${key: id}))", data).text, "300000");
  EXPECT_EQ(ask("$count($keys(${$string(299999 - id): id}))", data).text, "300000");
  EXPECT_EQ(ask("$count($distinct(key))", data).text, "300000");
  EXPECT_EQ(ask("($^(key)[0].key) & ($^(>id)[0].id)", data).text, "\"k0299999\"");
}

TEST(Limits, ManyMatchesAreFoundInOnePass) {
  EXPECT_EQ(ask("$count($match($pad(\"\", 100000, \"a\"), /a/))").text, "100000");
  EXPECT_EQ(ask("$length($replace($pad(\"\", 100000, \"a\"), /a/, function($m){ \"bc\" }))").text,
            "200000");
}

}  // namespace
}  // namespace helve::jsonata
