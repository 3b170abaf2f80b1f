// What functions make of unusual arguments, as the JavaScript implementation has it.
#include <gtest/gtest.h>

#include "jsonata/jsonata.h"

namespace helve::jsonata {
namespace {

// JSON, "nothing", or the code of the error and its token.
std::string answer(std::string_view source) {
  const auto refusal = [](const Error& error) {
    const std::string token(string_at(error.details, "token"));
    return token.empty() ? error.type : error.type + " " + token;
  };
  const auto expression = Expression::compile(source);
  if (!expression) return refusal(expression.error());
  Options options;
  options.now = 1'700'000'000'000;  // in the afternoon
  const auto output = expression->evaluate(nullptr, options);
  if (!output) return refusal(output.error());
  return output->is_undefined() ? "nothing" : *output->json();
}

struct Case {
  std::string_view source;
  std::string_view wanted;
};

void expect_all(std::span<const Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(answer(one.source), one.wanted) << one.source;
}

TEST(Words, OfNumbersHoweverLarge) {
  expect_all(std::vector<Case>{
      {"$formatInteger(1e46, 'w')", R"("ten billion trillion trillion trillion")"},
      {"$parseInteger('ten billion trillion trillion trillion', 'w')", "1e+46"},
      {"$parseInteger('', 'w')", "null"},
      {"$parseInteger('and', 'w')", "null"},
      {"$parseInteger('one and', 'w')", "null"},
      {"$parseInteger('nineteen hundred and eighty-four', 'w')", "1984"},
  });
}

TEST(Roman, NumeralsOfTheOtherCaseAreNoNumbersWhereTheyMustBeLarge) {
  expect_all(std::vector<Case>{
      {"$parseInteger('xcix', 'I')", "null"},
      {"$parseInteger('XCIX', 'i')", "99"},
      {"$length($formatInteger(1000001, 'i'))", "1001"},
      {"$formatInteger(1e9, 'i')", "D3130 formatInteger"},
  });
}

TEST(FormatBase, WritesTheDigitsOfLargeNumbersAsJavaScriptDoes) {
  expect_all(std::vector<Case>{
      {"$formatBase(16801675292663276, 30)", R"("sdic5gn8j5q")"},
      {"$formatBase(298354657134041200, 6)", R"("21333415221153235014140")"},
      {"$formatBase(-457284233765676600, 36)", R"("-3h2lqcw71r20")"},
      {"$formatBase(1e21, 16)", R"("3635c9adc5dea00000")"},
  });
}

TEST(FormatNumber, RoundsAHalfUp) {
  expect_all(std::vector<Case>{
      {"$formatNumber(452397421235218.6, '#,##0.00')", R"("452,397,421,235,218.63")"},
      {"$formatNumber(-1044573448598384.9, '0.0')", R"("-1044573448598384.8")"},
  });
}

TEST(FormatNumber, TakesSymbolsThatAreNoText) {
  expect_all(std::vector<Case>{
      {"$formatNumber(-3, '0', {'minus-sign': 5})", R"("53")"},
      {"$formatNumber(2, '0.0', {'decimal-separator': true})", "D3086 formatNumber"},
      {"$formatNumber(2, '0.0', {'pattern-separator': ''})", "D3080 formatNumber"},
  });
}

TEST(FormatNumber, RefusesSymbolsThatItCannotWorkWith) {
  expect_all(std::vector<Case>{
      {"$formatNumber(0, '', {'decimal-separator': ''})", "D3085 formatNumber"},
      {"$formatNumber(5, '0', {'decimal-separator': ''})", "D3081 formatNumber"},
      {"$formatNumber(5, '#', {'decimal-separator': '0'})", "D3081 formatNumber"},
      {"$formatNumber(0.14, '###pm', {'per-mille': 'pm'})", R"("140pm")"},
  });
}

TEST(ToMillis, ReadsAnHourWithoutItsHalfOfTheDayAsOneBeforeNoon) {
  expect_all(std::vector<Case>{
      {"$toMillis('9', '[h]') ~> $fromMillis()", R"("2023-11-14T09:00:00.000Z")"},
      {"$toMillis('9 pm', '[h] [P]') ~> $fromMillis()", R"("2023-11-14T21:00:00.000Z")"},
  });
}

TEST(ToMillis, TellsWhatLooksLikeATimestampFromWhatDoesNot) {
  expect_all(std::vector<Case>{
      {"$toMillis('2018-01-01T00:00:00+24:00')", "null"},
      {"$toMillis('2018-01-01+01:00')", "null"},
      {"$toMillis('2018-0100')", "null"},
      {"$toMillis('2018-1')", "D3110 toMillis"},
  });
}

TEST(Partial, ArgumentsThatAreNothingAreArguments) {
  expect_all(std::vector<Case>{
      {"$reverse(?)(missing)", "nothing"},
      {"($f := $substringAfter(?, missing); $f('a@b'))", R"("a@b")"},
  });
}

TEST(ToMillis, TakesTheLastMonthThatBeginsInTheSameWay) {
  expect_all(std::vector<Case>{
      {"$toMillis('Ma 2018', '[MNn,2-2] [Y]') ~> $fromMillis('[M]')", R"("5")"},
      {"$toMillis('J 2018', '[MN,1-1] [Y]') ~> $fromMillis('[M]')", R"("7")"},
  });
}

TEST(FromMillis, AWidthIsOfDigitsOnly) {
  expect_all(std::vector<Case>{
      {"$fromMillis(1e12, '[YI,2] [Yw,2] [Y,2] [YI,2-2]')", R"("MMI two thousand and one 01 I")"},
  });
}

TEST(FormatInteger, RefusesToCountToInfinityInLetters) {
  expect_all(std::vector<Case>{
      {"$formatInteger(1/0, 'a')", "D3130 formatInteger"},
      {"$parseInteger('é', 'a')", "137"},
      {"$parseInteger($formatInteger(1e21, 'a'), 'a')", "999999999999999900000"},
  });
}

TEST(Round, ToAPartOfAPlaceIsNoNumber) {
  expect_all(std::vector<Case>{{"$round(3.14159, 2.5)", "null"}});
}

TEST(Chain, ItsSecondFunctionHasTheContextOfTheCall) {
  expect_all(std::vector<Case>{
      {"($f := $trim ~> $fromMillis; $f(' a '))", "nothing"},
      {"($f := $map(?, function($x){ y }) ~> $sum; $f([1, 2]))", "nothing"},
      {"($f := $filter(?, function($x){ $x > 1 }) ~> $type; $f([1, 2]))", R"("number")"},
      {"('b').($f := $uppercase ~> function($s, $t)<s-s:s>{ $s & $t }; $f('a'))", R"("bA")"},
  });
}

TEST(Lambda, FunctionsThatItGetsHaveNoContext) {
  expect_all(std::vector<Case>{
      {"(function($f){ ('x').$f() })($length)", "T0411 f"},
      {"(function($f){ ('x').$f($) })($length)", "1"},
      {"(function($f){ 'x' ~> $f() })($length)", "1"},
      {"(function($f){ ['a', 'bc'] ~> $map($f) })($length)", "[1,2]"},
      {"(function($f){ ($z := 7; $f('$z')) })($eval)", "nothing"},
      {"($z := 8; (function($f){ ($z := 7; $f('$z')) })($eval))", "8"},
      {"(function($f){ $f(?, 1)('abc') })($substring)", R"("bc")"},
      {"(function($f){ $map([1, 2], $f) })(function($x, $i){ $i })", "[0,1]"},
      {"('a').(function($f){ $ })($length)", R"("a")"},
  });
}

TEST(Group, NothingAddsNothingToAGroup) {
  expect_all(std::vector<Case>{
      {"([1, 2].[x].(y)['a']){'k': $}", "{}"},
      {"[1, 2]{'k': $}", R"({"k":[1,2]})"},
      {"[1, 2]@$v.[[]]{'k': $}", R"({"k":[]})"},
  });
}

TEST(Contains, WhateverAFunctionReturnsIsAMatch) {
  expect_all(std::vector<Case>{
      {"$contains('ab', function($s){ null })", "true"},
      {"$contains('ab', function($s){ false })", "true"},
      {"$contains('ab', function($s){ missing })", "false"},
      {"$contains('ab', function($s){ {'start': 1} })", "true"},
      {"$contains('ab', function($s){ 1 })", "T1010 contains"},
      {"$contains('ab', /b/)", "true"},
  });
}

TEST(Spread, OfItemsWithoutMembersIsAnEmptyArray) {
  expect_all(std::vector<Case>{
      {"$spread([[]])", "[]"},
      {"$spread([{}])", "[]"},
      {"$spread([])", "nothing"},
      {"$spread([missing])", "nothing"},
  });
}

TEST(Uppercase, KnowsLettersThatShareTheirCapitalOrBecomeSeveral) {
  expect_all(std::vector<Case>{
      {"$uppercase('ὀδυσσεύς µι ﬁ straße ı ŉ ⅷ ᾳ')", R"("ὈΔΥΣΣΕΎΣ ΜΙ FI STRASSE I ʼN Ⅷ ΑΙ")"},
      {"$uppercase('łódź éâ жук')", R"("ŁÓDŹ ÉÂ ЖУК")"},
      {"$lowercase('ΌΣΟΣ Σ ÉÂ Ⅷ ŁÓDŹ')", R"("όσος σ éâ ⅷ łódź")"},
      {"$length($lowercase('İ'))", "2"},
  });
}

TEST(Signature, ASecondModifierMakesAParameterTakeAsLittleAsItCan) {
  expect_all(std::vector<Case>{
      {"function($x, $y)<n+?n+>{ [$x, $y] }(1, 2, 3)", "[1,2]"},
      {"function($x)<n+?>{ 1 }()", "T0410"},
      {"(1).function($x)<s?->{ $x }()", "1"},
      {"(1).function($x)<s-?>{ $x }()", "T0411"},
  });
}

TEST(Signature, ItemsOfAnArrayAreOfTheTypeThatIsWritten) {
  expect_all(std::vector<Case>{
      {"function($x)<a<>>{ $x }([1])", "T0412"},
      {"function($x)<a<>>{ $x }([])", "[]"},
      {"function($x)<a<sn>>{ $x }('a')", "T0412"},
      {"function($x)<a<a<n>>>{ $x }([[1]])", "[[1]]"},
  });
}

TEST(Errors, NameWhatIsNoFunctionOrNoVariable) {
  expect_all(std::vector<Case>{
      {"1(2)", "T1006 1"},
      {"1e2(2)", "T1006 100"},
      {"''(2)", "T1006"},
      {"%(2)", "T1006"},
      {"true(?)", "T1008 true"},
      {"[1](2)", "T1006 ["},
      {"$x.y := 1", "S0212 ."},
      {"$x[0] := 1", "S0212 ["},
      {"function($x, 1 + 2){ 1 }", "S0208 +"},
      {"1 ~> |a|{}|()", "T0410"},
      {"|a|{}|()", "T0410"},
  });
}

TEST(Match, ASurrogateThatStandsAloneIsACharacter) {
  expect_all(std::vector<Case>{
      {R"($match("\uD83Cb", /./).index)", "[0,1]"},
      {R"($match("a\uD83C", /a.$/).match)", R"("a\ud83c")"},
  });
}

TEST(Match, AnEmptyMatchAfterTheLastOneIsToldToo) {
  expect_all(std::vector<Case>{
      {"$replace('ba', /a*/, 'x', 1)", "D1004 replace"},
      {"$match('ba', /a*/, 1)", "D1004 match"},
      {"$split('ba', /a*/, 1)", "D1004 split"},
      {"$replace('ba', /a/, 'x', 1)", R"("bx")"},
      {"$match('ba', /a*/, 0)", "nothing"},
  });
}

TEST(Match, ReadsPatternsAsJavaScriptDoes) {
  expect_all(std::vector<Case>{
      {R"($match("a\u2028b", /.+/).match)", R"(["a","b"])"},
      {R"($match("\n\u000b", /\v/).index)", "1"},
      {R"($match("\n\u000b", /[\v]/).index)", "1"},
      {R"($match("a\u0001\u0008", /(a)\2/))", "nothing"},
      {R"($match("\u0001", /\1/).index)", "0"},
      {R"($match("a\u0008", /(a)\10/).index)", "0"},
      {R"($match("aa8", /(a)\1\8/).index)", "0"},
      {R"($match("A1", /[\101]1/).index)", "0"},
      {R"($match("🎈", /\ud83c\udf88/).index)", "0"},
      {R"($match("a.b", /[.]/).index)", "1"},
  });
}

}  // namespace
}  // namespace helve::jsonata
