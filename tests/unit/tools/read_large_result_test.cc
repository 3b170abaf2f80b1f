#include "unit/tools/fixture.h"

namespace helve {
namespace {

// Holds one text for one session.
class OneResult final : public Results {
 public:
  std::string kept;
  Result<Stored> keep(std::string_view, std::string_view, Effect, std::string_view) override {
    return Error{Code::unsupported, "this one is full"};
  }
  Result<std::string> text(std::string_view session, std::string_view id) override {
    if (session != "s_1" || id != "lr_1") return Error{Code::not_found, "no such result"};
    return kept;
  }
  Result<std::vector<Stored>> list(std::string_view) override {
    return std::vector<Stored>{{.id = "lr_1"}};
  }
};

class ReadLargeResult : public ToolTest {
 protected:
  ReadLargeResult() { context.results = &results; }
  OneResult results;
};

TEST_F(ReadLargeResult, GivesPagesOfEightThousandCharacters) {
  for (int i = 0; i < 8001; ++i) results.kept += "é";
  const Answer first = call("read_large_result", R"({"id": "lr_1"})");
  ASSERT_TRUE(first.ok);
  EXPECT_EQ(first["text"].json.as_string().size(), 16'000u);
  EXPECT_EQ(first["page"], 1);
  EXPECT_EQ(first["pages"], 2);
  EXPECT_EQ(first["chars"], 8001);
  EXPECT_TRUE(first.text.starts_with("lr_1 · page 1 of 2 · 8001 characters · next page=2\né"));
  const Answer second = call("read_large_result", R"({"id": "lr_1", "page": 2})");
  EXPECT_EQ(second["text"], "é");
  EXPECT_EQ(second.text, "lr_1 · page 2 of 2 · 8001 characters · end\né");
}

TEST_F(ReadLargeResult, NamesTheValidPages) {
  results.kept = "short";
  const Answer answer = call("read_large_result", R"({"id": "lr_1", "page": 9223372036854775807})");
  EXPECT_EQ(kind_of(answer), "invalid_argument page_out_of_range");
  EXPECT_TRUE(has(answer.error.hint, "1 to 1"));
}

TEST_F(ReadLargeResult, DoesNotKnowOtherIds) {
  const Answer answer = call("read_large_result", R"({"id": "lr_2"})");
  EXPECT_EQ(kind_of(answer), "not_found unknown_id");
  EXPECT_TRUE(has(answer.error.hint, "lr_1"));
  EXPECT_EQ(kind_of(call("read_large_result", R"({"id": "lr_x"})")),
            "invalid_argument invalid_input");
}

TEST_F(ReadLargeResult, IsUnsupportedWhereNothingIsStored) {
  context.results = nullptr;
  EXPECT_EQ(kind_of(call("read_large_result", R"({"id": "lr_1"})")), "unsupported unsupported");
}

}  // namespace
}  // namespace helve
