#include "model/model_names.h"

#include <gtest/gtest.h>

namespace helve::model {
namespace {

TEST(ModelNames, TellHowClaudeThinks) {
  using Way = ClaudeThinking::Way;
  const struct {
    ClaudeThinking thinking;
    std::vector<const char*> names;
  } cases[] = {
      {{.way = Way::none},
       {"claude-2.1", "claude-3-opus-20240229", "claude-3-haiku-20240307",
        "claude-3-5-sonnet-latest", "claude-3-5-haiku-20241022"}},
      {{.way = Way::budget},
       {"claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", "claude-opus-4-20250514",
        "claude-sonnet-4-0", "claude-opus-4-1", "claude-opus-4-5-20251101", "claude-haiku-4-5",
        "anthropic/claude-sonnet-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "claude-sonnet-4-5@20250929"}},
      {{},
       {"claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-6-20260205",
        "anthropic/claude-opus-4.6", "", "model-x", "glm-4.5"}},
      {{.is_silent = true, .is_sampled = false},
       {"claude-opus-4-7", "claude-opus-4-8", "claude-opus-4-10"}},
      {{.by_itself = true, .is_silent = true, .is_sampled = false},
       {"claude-opus-5", "claude-sonnet-5", "anthropic/claude-opus-5"}},
      {{.by_itself = true, .can_stop = false, .is_silent = true, .is_sampled = false},
       {"claude-fable-5", "claude-mythos-5"}},
      {{.by_itself = true,
        .can_stop = false,
        .is_silent = true,
        .is_bound = true,
        .is_sampled = false},
       {"claude-fable-5-1", "claude-opus-5-5", "anthropic/claude-sonnet-5.5", "claude-haiku-5-5",
        "claude-haiku-10", "claude-next", "claude-", "claude-opus-20270101"}},
  };
  for (const auto& each : cases) {
    for (const char* name : each.names) EXPECT_EQ(claude_thinking(name), each.thinking) << name;
  }
}

TEST(ModelNames, TellWhichGeminiSigns) {
  for (const char* name : {"gemini-3-pro-preview", "gemini-3.1-pro-preview", "gemini-3.8-flash",
                           "gemini-4-argon", "gemini-flash-latest", "google/gemini-3-flash"})
    EXPECT_TRUE(gemini_signs(name)) << name;
  for (const char* name : {"gemini-2.5-pro", "gemini-2.0-flash-001", "gemma-4", "model-x", ""})
    EXPECT_FALSE(gemini_signs(name)) << name;
}

TEST(ModelNames, TellWhoReasons) {
  for (const char* name :
       {"o1", "o1-pro", "o3-mini", "o4-mini-2025-04-16", "o9", "gpt-5", "gpt-5-mini", "gpt-5.5",
        "gpt-5-3-codex", "gpt-6", "gpt-10", "codex-mini-latest", "gpt-oss-120b",
        "openai/gpt-oss-20b", "openai/gpt-5", "ft:o4-mini-2025-04-16:org::id", "model-x", ""})
    EXPECT_TRUE(can_reason(name)) << name;
  for (const char* name :
       {"gpt-4o", "gpt-4o-mini-2024-07-18", "gpt-4.1", "gpt-4-1-nano", "gpt-4-turbo", "gpt-4.5",
        "gpt-3.5-turbo", "gpt-35-turbo", "chatgpt-4o-latest", "gpt-5-chat-latest", "openai/gpt-4o",
        "ft:gpt-4.1-2025-04-14:org::id"})
    EXPECT_FALSE(can_reason(name)) << name;
}

TEST(ModelNames, TellWhoThinksHowLittle) {
  const struct {
    std::string_view least;
    std::vector<const char*> names;
  } cases[] = {
      {"none",
       {"gpt-5.1", "gpt-5-1-2025-11-13", "gpt-5.6-sol", "gpt-6", "openai/gpt-5.5", "gpt-10",
        "model-x", "qwen3", ""}},
      {"minimal", {"gpt-5", "gpt-5-mini", "gpt-5-nano-2025-08-07", "openai/gpt-5"}},
      {"low",
       {"o1", "o3", "o3-pro", "o4-mini-2025-04-16", "ft:o4-mini-2025-04-16:org::id",
        "codex-mini-latest", "gpt-5-codex", "gpt-5.1-codex-max", "openai/gpt-oss-20b"}},
      {"", {"gpt-5-pro", "gpt-5.2-pro"}},
  };
  for (const auto& each : cases) {
    for (const char* name : each.names) EXPECT_EQ(least_effort(name), each.least) << name;
  }
}

TEST(ModelNames, TellWhoIsAReasonerOfOpenAi) {
  for (const char* name : {"gpt-5", "openai/gpt-5-mini", "gpt-6.1-sol", "o3", "o4-mini"})
    EXPECT_TRUE(is_openai_reasoner(name)) << name;
  for (const char* name :
       {"gpt-4o", "gpt-oss-20b", "gpt-5-chat-latest", "olmo-3", "o", "qwen3", ""})
    EXPECT_FALSE(is_openai_reasoner(name)) << name;
}

TEST(ModelNames, TellWhoIsOfMistral) {
  for (const char* name :
       {"mistral-large-latest", "mistralai/Mistral-Small-4-119B-2603", "ministral3:8b",
        "devstral-small", "codestral-2508", "magistral-medium", "open-mixtral-8x7b", "pixtral-12b"})
    EXPECT_TRUE(is_mistral(name)) << name;
  for (const char* name : {"gpt-5", "claude-opus-5-5", "qwen3", "model-x", ""})
    EXPECT_FALSE(is_mistral(name)) << name;
}

}  // namespace
}  // namespace helve::model
