#include "mcp/message.h"

#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

Message::Kind kind_of(std::string_view text) { return read_message(json(text)).kind; }

TEST(Message, IsKnownByWhatItHas) {
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"method":"m"})"), Message::Kind::request);
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","method":"m"})"), Message::Kind::notification);
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"result":{}})"), Message::Kind::response);
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})"),
            Message::Kind::response);
}

TEST(Message, IsInvalidWithoutTheMarkOfJsonRpcTwo) {
  EXPECT_EQ(kind_of(R"({"id":1,"method":"m"})"), Message::Kind::invalid);
  EXPECT_EQ(kind_of(R"({"jsonrpc":"1.0","id":1,"method":"m"})"), Message::Kind::invalid);
  EXPECT_EQ(kind_of(R"({"jsonrpc":2.0,"id":1,"method":"m"})"), Message::Kind::invalid);
}

TEST(Message, IsInvalidWhenItIsNothingKnown) {
  for (std::string_view text :
       {"1", "\"text\"", "null", "true", "{}", R"({"jsonrpc":"2.0"})",
        R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":5})"}) {
    EXPECT_EQ(kind_of(text), Message::Kind::invalid) << text;
  }
}

TEST(Message, KeepsAReadableIdEvenWhenInvalid) {
  EXPECT_EQ(read_message(json(R"({"jsonrpc":"2.0","id":"x","method":5})")).id, "\"x\"");
}

TEST(Id, KeepsTypeAndAllSixtyFourBits) {
  EXPECT_EQ(read_id(json("9007199254740993")), "9007199254740993");
  EXPECT_EQ(read_id(json("18446744073709551615")), "18446744073709551615");
  EXPECT_EQ(read_id(json("-9223372036854775808")), "-9223372036854775808");
  EXPECT_EQ(read_id(json("\"1\"")), "\"1\"");
  EXPECT_EQ(read_id(json(R"("a\"b\u0000\n")")), R"("a\"b\u0000\n")");
}

TEST(Id, IsRefusedWhenNeitherStringNorInteger) {
  for (std::string_view text : {"null", "1.5", "1.0", "1e2", "true", "{}", "[]",
                                "1234567890123456789012345678901234567890"}) {
    EXPECT_EQ(read_id(json(text)), "") << text;
  }
}

TEST(Id, IsBounded) {
  EXPECT_EQ(read_id(Json(std::string(kMaxIdBytes - 2, 'x'))).size(), kMaxIdBytes);
  EXPECT_EQ(read_id(Json(std::string(kMaxIdBytes - 1, 'x'))), "");
  EXPECT_EQ(read_id(Json(std::string(1u << 20, 'x'))), "");
}

TEST(Error, LeavesOutAnIdThatCouldNotBeRead) {
  std::string out;
  append_error(out, "", RpcCode::parse_error, "bad");
  EXPECT_EQ(out, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"bad\"}}\n");
}

}  // namespace
}  // namespace helve::mcp::testing
