#include "app/model_memory.h"

#include <gmock/gmock.h>

#include "unit/app/fixture.h"

namespace helve::app {
namespace {

using ::testing::HasSubstr;

TEST(ModelMemory, KeepsWhatChoosesAModel) {
  ModelFlags flags{.provider = "openai",
                   .base_url = "http://127.0.0.1:1/v1",
                   .model = "mock",
                   .protocol = config::Protocol::text,
                   .record = "now.jsonl",
                   .script = "told.jsonl"};
  const ModelFlags again = recalled(remembered(flags, "/here"), {.record = "later.jsonl"});
  EXPECT_EQ(again.provider, "openai");
  EXPECT_EQ(again.base_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(again.model, "mock");
  EXPECT_EQ(again.protocol, config::Protocol::text);
  EXPECT_EQ(again.script, "/here/told.jsonl");
  EXPECT_EQ(again.record, "later.jsonl");
}

TEST(ModelMemory, ChangesNothingWhereNothingWasChosen) {
  EXPECT_EQ(remembered({.record = "now.jsonl"}, "/here"), "");
  for (const char* text : {"", "{", "[]", R"({"of":"another time"})"})
    EXPECT_EQ(recalled(text, {.model = "mock"}).model, "mock") << text;
}

using RunCommand = Machine;

TEST_F(RunCommand, GoesOnWithTheModelThatASessionHad) {
  put("work/one.jsonl", R"({"text":"one"})");
  put("work/two.jsonl", R"({"text":"two"})");
  EXPECT_EQ(run({"--session", "s_1", "run", "--script", at("work/one.jsonl"), "x"}), 0) << err_;
  around_.current_directory = base_;
  const std::string root = at("work");
  EXPECT_EQ(run({"-C", root, "--session", "s_1", "run", "x"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("one"));
  EXPECT_EQ(run({"-C", root, "run", "--continue", "x"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("one"));
  EXPECT_EQ(run({"-C", root, "run", "--continue", "--script", at("work/two.jsonl"), "x"}), 0);
  EXPECT_THAT(out_, HasSubstr("two"));
  EXPECT_EQ(run({"-C", root, "run", "--continue", "x"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("two"));
  EXPECT_EQ(run({"-C", root, "run", "x"}), exit_code(Code::not_found)) << out_;
}

}  // namespace
}  // namespace helve::app
