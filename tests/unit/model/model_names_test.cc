#include "model/model_names.h"

#include <gtest/gtest.h>

namespace helve::model {
namespace {

TEST(ModelNames, TellHowClaudeThinks) {
  const struct {
    ClaudeThinking thinking;
    std::vector<const char*> names;
  } cases[] = {
      {ClaudeThinking::none,
       {"claude-2.1", "claude-3-opus-20240229", "claude-3-haiku-20240307",
        "claude-3-5-sonnet-latest", "claude-3-5-haiku-20241022"}},
      {ClaudeThinking::budget,
       {"claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", "claude-opus-4-20250514",
        "claude-sonnet-4-0", "claude-opus-4-1", "claude-opus-4-5-20251101", "claude-haiku-4-5",
        "anthropic/claude-sonnet-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "claude-sonnet-4-5@20250929"}},
      {ClaudeThinking::effort,
       {"claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-4-10",
        "claude-opus-4-6-20260205", "anthropic/claude-opus-4.6", "claude-sonnet-5",
        "claude-opus-5-5", "claude-haiku-10", "claude-fable-5-1", "claude-next", "claude-", "",
        "model-x", "glm-4.5", "claude-opus-20270101"}},
  };
  for (const auto& each : cases) {
    for (const char* name : each.names) EXPECT_EQ(claude_thinking(name), each.thinking) << name;
  }
}

}  // namespace
}  // namespace helve::model
