#include "model/prices.h"

#include <gtest/gtest.h>

#include <limits>

namespace helve::model {
namespace {

std::int64_t window_of(std::string_view name) {
  const auto facts = find_facts(name);
  return facts ? facts->window : 0;
}
std::int64_t input_of(std::string_view name) {
  const auto facts = find_facts(name);
  return facts && facts->price ? facts->price->input : -1;
}

TEST(Prices, AreFoundByEveryNameOfAModel) {
  for (const char* name :
       {"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-latest",
        "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5@20250929"})
    EXPECT_EQ(input_of(name), 3'000'000) << name;
  EXPECT_EQ(input_of("gpt-5.1-2025-11-13"), 1'250'000);
  EXPECT_EQ(input_of("openai/gpt-4.1-mini"), 400'000);
  EXPECT_EQ(input_of("gemini-2.5-flash-lite"), 100'000);
  EXPECT_EQ(input_of("gemini-2.0-flash-001"), 100'000);
  EXPECT_EQ(input_of("gemini-3-pro-preview"), 2'000'000);
  EXPECT_EQ(input_of("gpt-5.6"), 5'000'000);
  EXPECT_EQ(input_of("openai/gpt-6.1-sol"), 2'000'000);
  EXPECT_EQ(input_of("gpt-6-luna"), 100'000);
  EXPECT_EQ(input_of("gemini-4-argon"), 4'000'000) << "the price after the introductory one";
  EXPECT_EQ(window_of("claude-opus-5-5"), 1'000'000);
  EXPECT_EQ(window_of("gpt-4o"), 128'000);
}

TEST(Prices, OfAnUnknownModelAreNotMadeUp) {
  for (const char* name : {"", "llama3", "gpt-6", "gpt-5.9", "gpt-5-pro", "claude-sonnet-4-9",
                           "claude-opus-6", "my-claude-opus-5", "gemini-2.5-flash-image", "o3-pro"})
    EXPECT_EQ(find_facts(name), std::nullopt) << name;
  const ModelFacts facts = facts_of("llama3", {});
  EXPECT_EQ(facts.price, std::nullopt);
  EXPECT_EQ(facts.window, kAssumedWindow);
  EXPECT_FALSE(facts.is_window_known);
}

TEST(Prices, OfAUserComeBeforeTheTable) {
  const Price mine{.input = 7};
  const PriceRule rules[] = {{"gpt-5*", std::nullopt, 1000}, {"*", mine, std::nullopt}};
  const ModelFacts five = facts_of("gpt-5", rules);
  EXPECT_EQ(five.window, 1000);
  EXPECT_EQ(five.price->input, 1'250'000) << "what a rule does not say is as in the table";
  const ModelFacts other = facts_of("llama3", rules);
  EXPECT_EQ(other.price, mine);
  EXPECT_FALSE(other.is_window_known);
}

TEST(Cost, CountsEveryKindOfToken) {
  const Price price{
      .input = 3'000'000, .output = 15'000'000, .cache_read = 300'000, .cache_write = 3'750'000};
  EXPECT_EQ(cost({}, price), 0);
  EXPECT_EQ(cost({.input = 1}, price), 3);
  EXPECT_EQ(cost({.input = 1'000'000, .output = 1'000'000}, price), 18'000'000);
  EXPECT_EQ(cost({.cache_read = 1'000'000, .cache_write = 1'000'000}, price), 4'050'000);
}

TEST(Cost, IsRoundedToTheNearestOnce) {
  const Price price{.input = 50'000, .output = 400'000};  // 0.05 and 0.4 micro-dollars a token
  EXPECT_EQ(cost({.input = 9}, price), 0);
  EXPECT_EQ(cost({.input = 10}, price), 1) << "halves go up";
  EXPECT_EQ(cost({.input = 2, .output = 1}, price), 1) << "the sum is rounded, not its parts";
}

TEST(Cost, OfALongRequestIsHigher) {
  const Price price = *find_facts("gemini-2.5-pro")->price;
  EXPECT_EQ(cost({.input = 200'000, .output = 1000}, price), 250'000 + 10'000);
  EXPECT_EQ(cost({.input = 200'001, .output = 1000}, price), 500'003 + 15'000);
  EXPECT_EQ(cost({.input = 1, .cache_read = 200'000}, price), 50'003) << "caches count as well";
}

TEST(Cost, NeverOverflows) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(cost({.input = kMost / 4, .output = kMost / 4}, {.input = kMost / 200, .output = 1}),
            kMost);
}

TEST(Cost, IsShownInDollars) {
  EXPECT_EQ(dollars(0), "$0.0000");
  EXPECT_EQ(dollars(12'345), "$0.0123");
  EXPECT_EQ(dollars(18'000'000), "$18.0000");
}

}  // namespace
}  // namespace helve::model
