// Settings of models: which one is used, how it is reached, what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/describe.h"

namespace helve::config {

enum class ModelFormat : unsigned char { anthropic, openai, openai_responses, gemini };
enum class Protocol : unsigned char { native, text };
enum class Effort : unsigned char { off, low, medium, high };

// What is empty is not set: an agent's own settings stand over those for everybody.
struct ModelSettings {
  std::string provider, name, base_url;
  std::string key_env, key;
  std::optional<ModelFormat> format;
  std::optional<Protocol> protocol;
  std::optional<Effort> effort;
  std::optional<double> temperature;
  std::optional<std::int64_t> max_output_tokens, window;
  std::string script, recording;
  std::optional<double> idle_seconds, total_seconds;
  std::optional<std::int64_t> retries;

  static constexpr auto schema() {
    constexpr std::int64_t kMaxText = 4096;  // characters
    constexpr std::int64_t kMaxTokens = 1'000'000'000;
    return schema::object(
        "Which model is used, and how.",
        schema::opt<&ModelSettings::provider>(
            "Who has it: a name that `helve models` lists, scripted or recorded; empty: the one "
            "whose key is in the environment, else a server of this machine")
            .max_length(64),
        schema::opt<&ModelSettings::name>(
            "As the provider calls it; empty: the first one that a server of this machine has")
            .max_length(200),
        schema::opt<&ModelSettings::base_url>(
            "Where the API is, with /v1 where it has one; empty: where the provider's is")
            .max_length(kMaxText),
        schema::opt<&ModelSettings::key_env>(
            "The variable that holds the key; empty: the provider's usual one")
            .max_length(200),
        schema::opt<&ModelSettings::key>(
            "The key itself; not in a workspace's file, and nowhere that others can read")
            .max_length(kMaxText),
        schema::opt<&ModelSettings::format>("Whose API it speaks; default: the provider's own"),
        schema::opt<&ModelSettings::protocol>(
            "text: for models that know no tool calls, they are written as text; default: native"),
        schema::opt<&ModelSettings::effort>("How hard it thinks, where it can be told"),
        schema::opt<&ModelSettings::temperature>("How freely it chooses words")
            .min_number(0)
            .max_number(2),
        schema::opt<&ModelSettings::max_output_tokens>(
            "The longest reply in tokens, thoughts included; Claude 3.7 to 4.5 with an effort get "
            "room for their thoughts and 16000 besides at least")
            .min(1)
            .max(kMaxTokens),
        schema::opt<&ModelSettings::window>(
            "Tokens that fit into a request and its reply; default: what is known of the model, "
            "else 128000")
            .min(1000)
            .max(kMaxTokens),
        schema::opt<&ModelSettings::script>(
            "The file that scripted or recorded tells: absolute, or ~/…; in a workspace's file "
            "also relative to the workspace")
            .max_length(kMaxText),
        schema::opt<&ModelSettings::recording>(
            "A file that all replies are added to, for the provider recorded; a path as script is")
            .max_length(kMaxText),
        schema::opt<&ModelSettings::idle_seconds>(
            "How long nothing may come before it is given up; default: 300")
            .min_number(0.001)
            .max_number(86'400),
        schema::opt<&ModelSettings::total_seconds>(
            "How long a reply may take; 0, the default: any time")
            .min_number(0)
            .max_number(86'400),
        schema::opt<&ModelSettings::retries>(
            "How often a request that failed in a way that may pass is made again; default: 3")
            .min(0)
            .max(100));
  }
};

// What `stronger` sets, else what `weaker` does. Where it names another provider, or an address
// without one, nothing that belongs to the other is taken over: a key goes to nobody that it was
// not given for.
ModelSettings over(const ModelSettings& stronger, ModelSettings weaker);

struct PriceSettings {
  std::string model;
  std::optional<double> input, output, cache_read, cache_write;
  std::optional<std::int64_t> window;

  static constexpr auto schema() {
    constexpr double kMaxDollars = 1'000'000;
    return schema::object(
        "What a model costs, in dollars for a million tokens.",
        schema::arg<&PriceSettings::model>("Its name; * stands for any characters")
            .min_length(1)
            .max_length(200),
        schema::opt<&PriceSettings::input>("What is sent, and in no cache")
            .min_number(0)
            .max_number(kMaxDollars),
        schema::opt<&PriceSettings::output>("What it says").min_number(0).max_number(kMaxDollars),
        schema::opt<&PriceSettings::cache_read>("What it has in a cache; default: as input")
            .min_number(0)
            .max_number(kMaxDollars),
        schema::opt<&PriceSettings::cache_write>("What goes into a cache; default: as input")
            .min_number(0)
            .max_number(kMaxDollars),
        schema::opt<&PriceSettings::window>("Tokens that fit into a request and its reply")
            .min(1000)
            .max(1'000'000'000));
  }
};

}  // namespace helve::config
