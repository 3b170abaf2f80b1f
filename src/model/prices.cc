#include "model/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace helve::model {
namespace {

struct Entry {
  std::string_view name;
  std::int64_t window, max_output;  // tokens
  Price price;
};

// Dollars for a million tokens.
constexpr std::int64_t micro(double dollars) {
  return static_cast<std::int64_t>(dollars * 1'000'000 + 0.5);
}
constexpr Price price(double input, double output, double cache_read, double cache_write) {
  return {.input = micro(input),
          .output = micro(output),
          .cache_read = micro(cache_read),
          .cache_write = micro(cache_write)};
}
// Where writing to a cache costs as much as not having one.
constexpr Price price(double input, double output, double cache_read) {
  return price(input, output, cache_read, input);
}
constexpr Price beyond(std::int64_t tokens, std::int64_t input_percent, std::int64_t output_percent,
                       Price usual) {
  usual.long_from = tokens;
  usual.long_input = input_percent;
  usual.long_output = output_percent;
  return usual;
}

// Dots are written as dashes, since vendors and resellers differ in them. An introductory price
// that ends soon is not in it, but the one after it.
constexpr Entry kTable[] = {
    {"claude-fable-5-1", 1'000'000, 128'000, price(10, 50, 0.25, 12.5)},
    {"claude-fable-5", 1'000'000, 128'000, price(10, 50, 1, 12.5)},
    {"claude-opus-5-5", 1'000'000, 128'000, price(4, 20, 0.2, 5)},
    {"claude-opus-5", 1'000'000, 128'000, price(5, 25, 0.5, 6.25)},
    {"claude-opus-4-8", 1'000'000, 128'000, price(5, 25, 0.5, 6.25)},
    {"claude-opus-4-7", 1'000'000, 128'000, price(5, 25, 0.5, 6.25)},
    {"claude-opus-4-6", 200'000, 128'000, price(5, 25, 0.5, 6.25)},
    {"claude-opus-4-5", 200'000, 64'000, price(5, 25, 0.5, 6.25)},
    {"claude-opus-4-1", 200'000, 32'000, price(15, 75, 1.5, 18.75)},
    {"claude-opus-4", 200'000, 32'000, price(15, 75, 1.5, 18.75)},
    {"claude-sonnet-5-5", 1'000'000, 128'000, price(2, 10, 0.1, 2.5)},
    {"claude-sonnet-5", 1'000'000, 128'000, price(2, 10, 0.2, 2.5)},
    {"claude-sonnet-4-6", 200'000, 64'000, price(3, 15, 0.3, 3.75)},
    {"claude-sonnet-4-5", 200'000, 64'000, price(3, 15, 0.3, 3.75)},
    {"claude-sonnet-4", 200'000, 64'000, price(3, 15, 0.3, 3.75)},
    {"claude-3-7-sonnet", 200'000, 64'000, price(3, 15, 0.3, 3.75)},
    {"claude-3-5-sonnet", 200'000, 8'192, price(3, 15, 0.3, 3.75)},
    {"claude-haiku-5-5", 1'000'000, 128'000,
     beyond(100'000, 500, 500, price(0.1, 0.5, 0.01, 0.125))},
    {"claude-haiku-4-5", 200'000, 64'000, price(1, 5, 0.1, 1.25)},
    {"claude-3-5-haiku", 200'000, 8'192, price(0.8, 4, 0.08, 1)},
    {"claude-3-haiku", 200'000, 4'096, price(0.25, 1.25, 0.03, 0.3)},
    {"gpt-6-1-sol", 1'050'000, 128'000, beyond(272'000, 200, 150, price(2, 10, 0.1, 2.5))},
    {"gpt-6-1-terra", 1'050'000, 128'000, beyond(272'000, 200, 150, price(1, 5, 0.05, 1.25))},
    {"gpt-6-astra", 1'050'000, 128'000, beyond(272'000, 200, 150, price(10, 50, 1, 12.5))},
    {"gpt-6-sol", 1'050'000, 128'000, beyond(272'000, 200, 150, price(2, 10, 0.2, 2.5))},
    {"gpt-6-luna", 1'050'000, 128'000, beyond(272'000, 200, 150, price(0.1, 0.5, 0.01, 0.125))},
    {"gpt-5-6", 1'050'000, 128'000, beyond(272'000, 200, 150, price(5, 30, 0.5, 6.25))},
    {"gpt-5-6-sol", 1'050'000, 128'000, beyond(272'000, 200, 150, price(5, 30, 0.5, 6.25))},
    {"gpt-5-6-terra", 1'050'000, 128'000, beyond(272'000, 200, 150, price(2, 12, 0.2, 2.5))},
    {"gpt-5-6-luna", 1'050'000, 128'000, beyond(272'000, 200, 150, price(0.2, 1.2, 0.02, 0.25))},
    {"gpt-5-5", 1'050'000, 128'000, beyond(272'000, 200, 150, price(5, 30, 0.5))},
    {"gpt-5-4", 1'050'000, 128'000, beyond(272'000, 200, 150, price(2.5, 15, 0.25))},
    {"gpt-5-4-mini", 400'000, 128'000, price(0.75, 4.5, 0.075)},
    {"gpt-5-4-nano", 400'000, 128'000, price(0.2, 1.25, 0.02)},
    {"gpt-5-3-codex", 400'000, 128'000, price(1.75, 14, 0.175)},
    {"gpt-5-2", 400'000, 128'000, price(1.75, 14, 0.175)},
    {"gpt-5-2-codex", 400'000, 128'000, price(1.75, 14, 0.175)},
    {"gpt-5-1", 400'000, 128'000, price(1.25, 10, 0.125)},
    {"gpt-5-1-codex", 400'000, 128'000, price(1.25, 10, 0.125)},
    {"gpt-5", 400'000, 128'000, price(1.25, 10, 0.125)},
    {"gpt-5-codex", 400'000, 128'000, price(1.25, 10, 0.125)},
    {"gpt-5-mini", 400'000, 128'000, price(0.25, 2, 0.025)},
    {"gpt-5-nano", 400'000, 128'000, price(0.05, 0.4, 0.005)},
    {"gpt-4-1", 1'047'576, 32'768, price(2, 8, 0.5)},
    {"gpt-4-1-mini", 1'047'576, 32'768, price(0.4, 1.6, 0.1)},
    {"gpt-4-1-nano", 1'047'576, 32'768, price(0.1, 0.4, 0.025)},
    {"gpt-4o", 128'000, 16'384, price(2.5, 10, 1.25)},
    {"gpt-4o-mini", 128'000, 16'384, price(0.15, 0.6, 0.075)},
    {"o3", 200'000, 100'000, price(2, 8, 0.5)},
    {"o3-mini", 200'000, 100'000, price(1.1, 4.4, 0.55)},
    {"o4-mini", 200'000, 100'000, price(1.1, 4.4, 0.275)},
    {"o1", 200'000, 100'000, price(15, 60, 7.5)},
    {"gemini-4-argon", 1'048'576, 65'536, price(4, 20, 0.2)},
    {"gemini-3-8-flash", 1'048'576, 65'536, price(1.5, 7.5, 0.15)},
    {"gemini-3-7-flash", 1'048'576, 65'536, price(1.5, 7.5, 0.15)},
    {"gemini-3-1-flash-lite", 1'048'576, 65'536, price(0.25, 1.5, 0.025)},
    {"gemini-3-5-flash", 1'048'576, 65'536, price(1.5, 9, 0.15)},
    {"gemini-3-1-pro", 1'048'576, 65'536, beyond(200'000, 200, 150, price(2, 12, 0.2))},
    {"gemini-3-pro", 1'048'576, 65'536, beyond(200'000, 200, 150, price(2, 12, 0.2))},
    {"gemini-3-flash", 1'048'576, 65'536, price(0.5, 3, 0.05)},
    {"gemini-2-5-pro", 1'048'576, 65'536, beyond(200'000, 200, 150, price(1.25, 10, 0.125))},
    {"gemini-2-5-flash", 1'048'576, 65'536, price(0.3, 2.5, 0.03)},
    {"gemini-2-5-flash-lite", 1'048'576, 65'536, price(0.1, 0.4, 0.01)},
    {"gemini-2-0-flash", 1'048'576, 8'192, price(0.1, 0.4, 0.025)},
};

std::string plain_name(std::string_view name) {
  std::string out(name.substr(name.rfind('/') + 1));  // npos + 1 is 0
  std::ranges::replace(out, '.', '-');
  return out;
}

// What may stand behind a name without making it another model: a date or "latest". A single
// number does: 4-5 is another one than 4.
bool is_version(std::string_view rest) {
  for (const std::string_view word : {"-preview", "-latest"}) {
    if (rest.starts_with(word)) rest.remove_prefix(word.size());
  }
  if (rest.empty()) return true;
  const auto digits = std::ranges::count_if(rest, [](char c) { return c >= '0' && c <= '9'; });
  const bool is_date = digits >= 6 || (rest.size() == 6 && digits == 4);  // -20250929, -09-25
  const bool is_number = rest.size() == 4 && rest.starts_with("-00");     // -001
  const bool has_more = rest.find_first_not_of("-@0123456789") != rest.npos;
  return (is_date || is_number) && !has_more && (rest[0] == '-' || rest[0] == '@');
}

std::int64_t percent_of(std::int64_t value, std::int64_t percent) { return value * percent / 100; }

}  // namespace

std::optional<ModelFacts> find_facts(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const Entry& entry : kTable) {
    if (plain.starts_with(entry.name) &&
        is_version(std::string_view(plain).substr(entry.name.size())))
      return ModelFacts{entry.window, true, entry.max_output, entry.price};
  }
  return std::nullopt;
}

ModelFacts facts_of(std::string_view name, std::span<const PriceRule> rules) {
  ModelFacts facts = find_facts(name).value_or(ModelFacts{});
  const auto rule = std::ranges::find_if(
      rules, [&](const PriceRule& each) { return matches_wildcard(each.pattern, name); });
  if (rule == rules.end()) return facts;
  if (rule->price) facts.price = rule->price;
  if (rule->window) facts.window = *rule->window, facts.is_window_known = true;
  return facts;
}

std::int64_t cost(const Usage& usage, const Price& price) {
  const bool is_long =
      price.long_from > 0 && usage.input + usage.cache_read + usage.cache_write > price.long_from;
  const std::int64_t in = is_long ? price.long_input : 100;
  const std::int64_t out = is_long ? price.long_output : 100;
  __extension__ typedef __int128 Wide;
  Wide sum = 0;
  sum += Wide{usage.input} * percent_of(price.input, in);
  sum += Wide{usage.cache_read} * percent_of(price.cache_read, in);
  sum += Wide{usage.cache_write} * percent_of(price.cache_write, in);
  sum += Wide{usage.output} * percent_of(price.output, out);
  sum = (sum + 500'000) / 1'000'000;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return sum > kMost ? kMost : static_cast<std::int64_t>(sum);
}

std::string dollars(std::int64_t micro_dollars) {
  return fmt::format("${:.4f}", static_cast<double>(micro_dollars) / 1'000'000);
}

}  // namespace helve::model
