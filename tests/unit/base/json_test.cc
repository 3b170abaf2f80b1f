#include "base/json.h"
#include "base/escape_lane.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace helve {
namespace {

std::string round_trip(std::string_view text) {
  Result<Json> value = parse_json(text);
  return value ? to_text(*value) : "error: " + value.error().message;
}

TEST(Json, KeepsSixtyFourBitIntegersAndShortNumbers) {
  EXPECT_EQ(round_trip("[9223372036854775807,-9223372036854775808,18446744073709551615]"),
            "[9223372036854775807,-9223372036854775808,18446744073709551615]");
  EXPECT_EQ(round_trip("[0.1,1e300,-0.0,9007199254740993]"), "[0.1,1e+300,-0.0,9007199254740993]");
}

TEST(Json, RoundsNumbersCorrectly) {
  EXPECT_EQ(round_trip("[1.2345678901234901e+25,5e-324,1.7976931348623157e+308]"),
            "[1.2345678901234901e+25,5e-324,1.7976931348623157e+308]");
  EXPECT_EQ(round_trip("[1e-999,0.3,1234567890123456789012345678901234567890]"),
            "[0.0,0.3,1.2345678901234568e+39]");
}

TEST(Json, RefusesWhatNoNumberHolds) {
  EXPECT_TRUE(round_trip("[1e400]").starts_with("error: invalid JSON"));
}

TEST(Json, RefusesDepthBombsWithoutOverflowingTheStack) {
  EXPECT_TRUE(round_trip(std::string(100'000, '[')).starts_with("error: invalid JSON"));
}

TEST(Json, SaysLineAndColumn) {
  EXPECT_EQ(round_trip("{\n  \"a\": tru\n}").substr(0, 45),
            "error: invalid JSON at line 2, column 8: synt");
}

TEST(Json, RefusesEveryTruncation) {
  constexpr std::string_view kText = R"({"a":[1,2.5,"x\u00e9",null,true],"b":{"c":""}})";
  ASSERT_EQ(round_trip(kText), "{\"a\":[1,2.5,\"x\u00e9\",null,true],\"b\":{\"c\":\"\"}}");
  for (size_t i = 0; i < kText.size(); ++i)
    EXPECT_TRUE(round_trip(kText.substr(0, i)).starts_with("error")) << i;
}

TEST(Json, RefusesTextAfterTheValue) {
  EXPECT_TRUE(round_trip("{} x").starts_with("error"));
  EXPECT_EQ(round_trip(" {} \r\n"), "{}");
}

TEST(Json, RefusesLoneSurrogatesOverlongFormsAndByteOrderMarks) {
  EXPECT_TRUE(round_trip(R"("\ud800")").starts_with("error"));
  EXPECT_TRUE(round_trip("\"\xC0\xAF\"").starts_with("error"));
  EXPECT_TRUE(round_trip("\xEF\xBB\xBF{}").starts_with("error"));
}

TEST(Json, WritesNulAndInvalidBytesSafely) {
  EXPECT_EQ(round_trip(R"("a\u0000b")"), R"("a\u0000b")");
  std::string out;
  append_json_string(out, std::string_view("ok\xFF\xC3(\xE2\x82", 7));
  EXPECT_EQ(out, "\"ok\uFFFD\uFFFD(\uFFFD\uFFFD\"");
}

TEST(Json, EscapesAfterTextThatIsNotAscii) {
  EXPECT_EQ(round_trip(R"("…\n\"ä\\")"), R"("…\n\"ä\\")");
}

template <class Lane>
void expect_every_byte_to_be_seen() {
  for (int byte = 0; byte < 256; ++byte) {
    const bool special = byte < 0x20 || byte >= 0x7F || byte == '"' || byte == '\\';
    for (size_t place = 0; place < Lane::kBytes; ++place) {
      char text[Lane::kBytes];
      std::fill(std::begin(text), std::end(text), '~');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(Lane(text).plain(), special ? place : Lane::kBytes) << byte << " at " << place;
      if (place + 1 < Lane::kBytes) text[place + 1] = '\n';
      EXPECT_EQ(Lane(text).plain(), special ? place : std::min(place + 1, Lane::kBytes));
    }
  }
}

TEST(Json, LooksAtEveryByteOfALane) {
  expect_every_byte_to_be_seen<WordLane>();
  expect_every_byte_to_be_seen<EscapeLane>();
}

TEST(Json, EscapesEveryByteWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t place = 0; place < 40; ++place) {
      std::string text(40, 'x');
      text[place] = static_cast<char>(byte);
      std::string out;
      append_json_string(out, text);
      auto parsed = parse_json(out);
      ASSERT_TRUE(parsed) << byte << " at " << place;
      if (byte < 0x80)
        EXPECT_EQ(std::string_view(parsed->get_string()), text) << byte << " at " << place;
      else
        EXPECT_EQ(parsed->get_string().size(), 42u) << byte << " at " << place;
    }
  }
}

TEST(Json, WritesAMegabyteThatGrowsAsItIsEscaped) {
  std::string out;
  append_json_string(out, std::string(1'000'000, '\xFF'));
  EXPECT_EQ(out.size(), 3'000'002u);
  out.clear();
  append_json_string(out, std::string(1'000'000, '\x01'));
  EXPECT_EQ(out.size(), 6'000'002u);
}

TEST(Json, PrettyPrints) {
  EXPECT_EQ(to_pretty(*parse_json(R"({"a":[1],"b":[],"c":{}})")),
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": [],\n  \"c\": {}\n}\n");
}

TEST(Json, TellsTheStringsOfAList) {
  const Json value = *parse_json(R"({"list": ["a", 1, "b", null], "text": "c"})");
  EXPECT_EQ(strings_at(value, "list"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(strings_at(value, "text").empty());
  EXPECT_TRUE(strings_at(value, "none").empty());
  EXPECT_TRUE(strings_at(7, "list").empty());
}

}  // namespace
}  // namespace helve
