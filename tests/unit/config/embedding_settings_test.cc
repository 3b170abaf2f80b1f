#include <gmock/gmock.h>

#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using EmbeddingSettingsTest = ConfigTest;

TEST_F(EmbeddingSettingsTest, AreReadWithEveryKey) {
  user(R"(
embeddings: {provider: endpoint, file: ~/weights.bin, base_url: "http://localhost:11434/v1", model: nomic-embed-text,
             key_env: MY_KEY, dimensions: 256}
)");
  const EmbeddingSettings settings = loaded().config.embeddings;
  EXPECT_EQ(settings.provider, EmbeddingProvider::endpoint);
  EXPECT_EQ(settings.file, base_ + "/home/weights.bin");
  EXPECT_EQ(settings.base_url, "http://localhost:11434/v1");
  EXPECT_EQ(settings.model, "nomic-embed-text");
  EXPECT_EQ(settings.key_env, "MY_KEY");
  EXPECT_EQ(settings.dimensions, 256);
}

TEST_F(EmbeddingSettingsTest, AreNotSetByThemselves) {
  const EmbeddingSettings settings = loaded().config.embeddings;
  EXPECT_FALSE(settings.provider);
  EXPECT_EQ(settings.base_url, "");
}

TEST(EmbeddingSettings, AnotherServerGetsNoKeyOfTheFirst) {
  const EmbeddingSettings weaker{.base_url = "http://one/v1", .model = "a", .key_env = "KEY"};
  const EmbeddingSettings elsewhere = over({.base_url = "http://two/v1"}, weaker);
  EXPECT_EQ(elsewhere.key_env, "");
  EXPECT_EQ(elsewhere.model, "");
  const EmbeddingSettings same = over({.model = "b"}, weaker);
  EXPECT_EQ(same.key_env, "KEY");
  EXPECT_EQ(same.model, "b");
}

TEST_F(EmbeddingSettingsTest, WhatMeansNothingIsAnErrorThatRepeatsNoKey) {
  user("embeddings: {base_url: 'ftp://sk-canary', model: 'a b', key_env: 'sk-canary'}\n");
  const std::string text = failure();
  EXPECT_THAT(text, HasSubstr("embeddings.base_url: is no address"));
  EXPECT_THAT(text, HasSubstr("embeddings.model: has a space"));
  EXPECT_THAT(text, HasSubstr("embeddings.key_env: is not the name of a variable"));
  EXPECT_THAT(text, Not(HasSubstr("canary")));
}

TEST_F(EmbeddingSettingsTest, AStrangersFileNamesNoServer) {
  workspace("embeddings: {provider: endpoint, base_url: 'http://evil.example', model: m}\n");
  EXPECT_FALSE(loaded().config.embeddings.provider);
}

}  // namespace
}  // namespace helve::config
