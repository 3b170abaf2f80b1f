#include "model/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace helve::model {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events parse(const std::vector<std::string_view>& parts) {
  SseParser parser;
  Events events;
  for (const std::string_view part : parts) {
    EXPECT_TRUE(parser.feed(part, [&](SseEvent& event) {
      events.emplace_back(event.type, event.data);
      return true;
    }));
  }
  return events;
}

// The same whatever way the bytes are cut.
Events parse_cut(std::string_view text) {
  const Events whole = parse({text});
  for (size_t i = 0; i <= text.size(); ++i)
    EXPECT_EQ(parse({text.substr(0, i), text.substr(i)}), whole) << "cut at " << i;
  std::vector<std::string_view> bytes;
  for (size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
  EXPECT_EQ(parse(bytes), whole) << "byte by byte";
  return whole;
}

TEST(Sse, AnEventEndsWithABlankLine) {
  EXPECT_EQ(parse_cut("event: ping\ndata: {\"a\": 1}\n\ndata: two\n\n"),
            (Events{{"ping", "{\"a\": 1}"}, {"message", "two"}}));
}

TEST(Sse, LinesEndInAnyOfThreeWays) {
  for (const std::string_view end : {"\n", "\r", "\r\n"}) {
    std::string text;
    for (const std::string_view line : {"event: a", "data: 1", "data: 2", "", "data: 3", ""})
      text.append(line).append(end);
    EXPECT_EQ(parse_cut(text), (Events{{"a", "1\n2"}, {"message", "3"}}));
  }
  EXPECT_EQ(parse_cut("data: 1\r\ndata: 2\n\rdata: 3\r\r"),
            (Events{{"message", "1\n2"}, {"message", "3"}}));
}

TEST(Sse, OneSpaceBehindTheColonDoesNotCount) {
  EXPECT_EQ(parse_cut("data:no\n\ndata:  two\n\ndata: a: b\n\n"),
            (Events{{"message", "no"}, {"message", " two"}, {"message", "a: b"}}));
}

TEST(Sse, CommentsAndFieldsThatNobodyKnowsAreLeftOut) {
  EXPECT_EQ(parse_cut(": keep-alive\n\nid: 7\nretry: 10\ndatax: no\nnothing\ndata: yes\n:\n\n"),
            (Events{{"message", "yes"}}));
}

TEST(Sse, AnEventWithoutDataIsNone) {
  EXPECT_EQ(parse_cut("event: lost\n\ndata: kept\n\n"), (Events{{"message", "kept"}}));
}

TEST(Sse, EmptyDataIsData) {
  EXPECT_EQ(parse_cut("data\n\ndata:\ndata:\n\n"), (Events{{"message", ""}, {"message", "\n"}}));
}

TEST(Sse, AMarkAtTheBeginningIsLeftOut) {
  EXPECT_EQ(parse_cut("\xef\xbb\xbf"
                      "data: 1\n\n\xef\xbb\xbf"
                      "data: 2\n\n"),
            (Events{{"message", "1"}}));
}

TEST(Sse, WhatIsNotFinishedIsNoEvent) {
  EXPECT_EQ(parse_cut("data: 1\n\ndata: 2\n"), (Events{{"message", "1"}}));
  EXPECT_EQ(parse_cut("data: 1\n\ndata: 2"), (Events{{"message", "1"}}));
}

TEST(Sse, CharactersMayBeCut) {
  EXPECT_EQ(parse_cut("data: h\xc3\xa9 \xf0\x9f\x98\x80\n\n"),
            (Events{{"message", "h\xc3\xa9 \xf0\x9f\x98\x80"}}));
}

TEST(Sse, TenMegabytesAreAnEvent) {
  const std::string large(10 << 20, 'x');
  EXPECT_EQ(parse({"data: " + large, "\n\n"}).at(0).second.size(), large.size());
}

TEST(Sse, WhatNeverEndsIsRefused) {
  const std::string long_line = "data: " + std::string(1000, 'x') + "\n";
  for (const std::string_view unit : {std::string_view("x"), std::string_view(long_line)}) {
    SseParser parser;
    std::string block;
    while (block.size() < (1u << 20)) block += unit;
    Result<void> fed;
    for (int i = 0; i < 300 && fed; ++i) fed = parser.feed(block, [](SseEvent&) { return true; });
    ASSERT_FALSE(fed);
    EXPECT_EQ(fed.error().code, Code::too_large);
  }
}

TEST(Sse, WhoeverHasEnoughIsLeftAlone) {
  SseParser parser;
  int seen = 0;
  const SseParser::OnEvent first_only = [&](SseEvent&) { return ++seen < 1; };
  EXPECT_TRUE(parser.feed("data: 1\n\ndata: 2\n\n", first_only));
  EXPECT_TRUE(parser.feed("data: 3\n\n", first_only));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace helve::model
