// Settings of the agent loop, and the bounds that it works within.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/describe.h"

namespace helve::config {

enum class CallOrder : unsigned char { parallel, serial, first_only };

struct Lanes {
  std::int64_t main = 3;
  std::int64_t cron = 1;
  std::int64_t subagents = 5;

  static constexpr auto schema() {
    return schema::object(
        "How many sessions work at once.", schema::opt<&Lanes::main>("Of people").min(1).max(1000),
        schema::opt<&Lanes::cron>("That the clock has started").min(1).max(1000),
        schema::opt<&Lanes::subagents>("Of agents that agents have started").min(1).max(1000));
  }
};

// What one prompt may be allowed at most, also by flags.
constexpr std::int64_t kMaxTokens = 1'000'000'000'000;
constexpr double kMaxDollars = 1'000'000;
constexpr double kMaxSeconds = 31'536'000;

struct LoopSettings {
  std::int64_t turns = 100;
  std::optional<std::int64_t> tokens;
  std::optional<double> cost, time;
  CallOrder order = CallOrder::parallel;
  double compact_at = 0.8;
  Lanes lanes;
  std::int64_t depth = 1;

  static constexpr auto schema() {
    return schema::object(
        "How far an agent goes for one prompt.",
        schema::opt<&LoopSettings::turns>("Replies of the model for one prompt")
            .min(1)
            .max(100'000),
        schema::opt<&LoopSettings::tokens>(
            "Tokens for one prompt, those in caches included; default: any number")
            .min(1)
            .max(kMaxTokens),
        schema::opt<&LoopSettings::cost>(
            "Dollars for one prompt; default: any sum. A model of unknown price is not bounded")
            .min_number(0.0001)
            .max_number(kMaxDollars),
        schema::opt<&LoopSettings::time>("Seconds for one prompt; default: any time")
            .min_number(0.001)
            .max_number(kMaxSeconds),
        schema::opt<&LoopSettings::order>(
            "Calls of one reply: parallel: those that only read run together; serial: one after "
            "the other; first_only: the others are refused"),
        schema::opt<&LoopSettings::compact_at>(
            "The part of the window at which a session is summed up")
            .min_number(0.1)
            .max_number(1),
        schema::opt<&LoopSettings::lanes>("How many sessions work at once"),
        schema::opt<&LoopSettings::depth>("How deep agents may start agents; 0: not at all")
            .min(0)
            .max(10));
  }
};

}  // namespace helve::config
