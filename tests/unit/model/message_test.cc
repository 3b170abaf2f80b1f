#include "model/message.h"

#include <gtest/gtest.h>

namespace helve::model {
namespace {

TEST(Message, ComesBackFromItsJsonAsItWas) {
  const Message messages[] = {
      {Role::user, {Text{"a \xf0\x9f\x98\x80"}, Image{"aQ==", "image/png"}}},
      {Role::assistant,
       {Thinking{"hm", "anthropic", JsonObject{{"signature", "x"}}}, Thinking{"plain", "", nullptr},
        ToolCall{"c1", "read", "{bro\"ken", "gemini", "sig"}}},
      {Role::tool,
       {ToolResult{
           "c1",
           "read",
           {TextContent{"t"}, ImageContent{"aQ==", "image/png"}, AudioContent{"aQ==", "audio/wav"},
            ResourceContent{"u", "m", "t", "b"}, ResourceLink{"u", "n", "m", "d"}},
           true}}},
      {Role::assistant, {}},
  };
  for (const Message& message : messages) {
    const JsonObject json = to_json(message);
    const auto back = message_from_json(*parse_json(to_text(Json(json))));
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(to_json(*back), json);
  }
}

TEST(Message, OfAnUnknownKindIsRefused) {
  for (const char* text :
       {"{}", "7", R"({"role":"user"})", R"({"role":"robot","parts":[]})",
        R"({"role":"user","parts":[{"type":"dance"}]})",
        R"({"role":"tool","parts":[{"type":"result","content":[{"type":"smell"}]}]})"}) {
    const auto message = message_from_json(*parse_json(text));
    ASSERT_FALSE(message) << text;
    EXPECT_EQ(message.error().type, "unknown_part") << text;
  }
}

TEST(Usage, ComesBackFromItsJson) {
  const Usage usage{1, 2, 3, 4};
  EXPECT_EQ(usage_from_json(Json(to_json(usage))), usage);
  EXPECT_EQ(usage_from_json(*parse_json(R"({"input":-5,"output":"many","cache_read":7})")),
            (Usage{0, 0, 7, 0}));
  EXPECT_EQ(usage_from_json(nullptr), Usage{});
}

TEST(Message, TellsItsTextAndCalls) {
  const Message message{
      Role::assistant,
      {Thinking{"no", "", nullptr}, Text{"a"}, ToolCall{"1", "x", "{}", "", nullptr}, Text{"b"},
       ToolCall{"2", "y", "{}", "", nullptr}}};
  EXPECT_EQ(text_of(message), "ab");
  ASSERT_EQ(calls_of(message).size(), 2u);
  EXPECT_EQ(calls_of(message)[1]->id, "2");
}

}  // namespace
}  // namespace helve::model
