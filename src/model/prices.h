// Prices: what is known of models by their names: what they cost and how much fits into them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/message.h"

namespace helve::model {

// The table is as the providers' public lists were in this month. Settings override it.
constexpr std::string_view kPricesAsOf = "2026-11";

// In micro-dollars for a million tokens: $3 are 3'000'000.
struct Price {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;  // where a provider has several, for the shortest time
  // Requests with more tokens than this cost more, in percent; 0: there is no such bound.
  std::int64_t long_from = 0;
  std::int64_t long_input = 100, long_output = 100;

  bool operator==(const Price&) const = default;
};

// An assumption where nothing is known: most models of the last years have at least this.
constexpr std::int64_t kAssumedWindow = 128'000;

struct ModelFacts {
  std::int64_t window = kAssumedWindow;  // tokens of a request and its reply
  bool is_window_known = false;
  std::int64_t max_output = 0;  // 0: not known
  std::optional<Price> price;   // nothing: not known, and none is made up

  bool operator==(const ModelFacts&) const = default;
};

// The model of this name, also when a date, "-latest" or a vendor ("openai/…") belongs to the name.
// Nothing for one that is not in the table: what is like it may cost something else.
std::optional<ModelFacts> find_facts(std::string_view name);

// What a user says of models whose names fit: before the table, member by member.
struct PriceRule {
  std::string pattern;  // * stands for any characters
  std::optional<Price> price;
  std::optional<std::int64_t> window;
};
// By the first rule that fits and the table; where neither knows, as for an unknown model.
ModelFacts facts_of(std::string_view name, std::span<const PriceRule> rules);

// In micro-dollars, rounded to the nearest, halves up. Never overflows.
std::int64_t cost(const Usage& usage, const Price& price);
// "$0.0123"; four digits, so that a single request shows.
std::string dollars(std::int64_t micro_dollars);

}  // namespace helve::model
