// What our JSONata engine makes of expressions: reads lines of {"expression", "data"} and answers
// each with a line of {"result"}, {} for nothing, or {"code", "position", "token"}.
#include <iostream>

#include "jsonata/jsonata.h"

namespace {

using namespace helve;

constexpr std::int64_t kNow = 1'700'000'000'000;

std::string refusal(const Error& error) { return to_text(error.details); }

std::string answer(std::string_view line) {
  const auto request = parse_json(line);
  if (!request) return "{\"code\": \"request\"}";
  const auto expression = jsonata::Expression::compile(string_at(*request, "expression"));
  if (!expression) return refusal(expression.error());
  const std::string data = to_text(*find(*request, "data"));
  const auto document = jsonata::Document::parse(data);
  if (!document) return "{\"code\": \"document\"}";
  jsonata::Options options;
  options.now = kNow;
  const auto output = expression->evaluate(&*document, options);
  if (!output) return refusal(output.error());
  if (output->is_undefined() || output->type_name() == "function") return "{}";
  const auto text = output->json();
  return text ? "{\"result\":" + *text + "}" : refusal(text.error());
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) std::cout << answer(line) << '\n';
}
