// Who gets structured values, and schemas of them: both or neither.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

const std::string kEcho = R"("name":"echo","arguments":{"text":"a"})";

// As the client of a connection, or of a request that stands alone.
enum class Era { legacy, modern };

// What a client of this name gets: true for both, false for neither.
bool gets_values(World& world, std::string_view client, Era era) {
  Talk talk(world);
  if (era == Era::legacy) talk.initialize("2025-11-25", "{}", client);
  const auto params = [&](std::string_view members) {
    if (era == Era::legacy) return "{" + std::string(members) + "}";
    return modern(members,
                  fmt::format(R"("io.modelcontextprotocol/clientInfo":{{"name":"{}"}})", client));
  };
  const Json tool = at(talk.result(request("1", "tools/list", params(""))), "tools/0");
  const Json answer = talk.result(request("2", "tools/call", params(kEcho)));
  EXPECT_EQ(at(answer, "content/0/text"), "a");
  EXPECT_EQ(at(tool, "outputSchema").is_null(), at(answer, "structuredContent").is_null())
      << tool << answer;
  return !at(answer, "structuredContent").is_null();
}

TEST(StructuredValues, AreNotForClientsThatHideTheText) {
  World world;
  for (const Era era : {Era::legacy, Era::modern}) {
    EXPECT_FALSE(gets_values(world, "claude-code", era));
    EXPECT_TRUE(gets_values(world, "another", era)) << "each has a list of its own";
    EXPECT_FALSE(gets_values(world, "codex-mcp-client", era));
    EXPECT_TRUE(gets_values(world, "", era));
  }
}

TEST(StructuredValues, AreForEverybodyOrNobodyWhereThatIsSaid) {
  World always(Options{.structured = Structured::always});
  World never(Options{.structured = Structured::never});
  for (const Era era : {Era::legacy, Era::modern}) {
    for (const char* client : {"claude-code", "another"}) {
      EXPECT_TRUE(gets_values(always, client, era)) << client;
      EXPECT_FALSE(gets_values(never, client, era)) << client;
    }
  }
}

TEST(StructuredValues, AreForWhoDoesNotSayWhoItIs) {
  World world;
  Talk talk(world);
  talk.initialize("2025-11-25", "{}", "claude-code");
  for (const char* meta : {"", R"("io.modelcontextprotocol/clientInfo":"claude-code")",
                           R"("io.modelcontextprotocol/clientInfo":{"name":7})"}) {
    EXPECT_EQ(at(talk.result(request("1", "tools/call", modern(kEcho, meta))), "structuredContent"),
              json(R"({"said":"a"})"))
        << meta;
  }
}

}  // namespace
}  // namespace helve::mcp::testing
