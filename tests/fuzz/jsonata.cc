// JSONata: whatever the expression and the document, an answer comes within the limits, and what is
// written is JSON. The first line is the expression, the rest the document.
#include "jsonata/jsonata.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

constexpr size_t kMaxInput = 4'000;
constexpr int kMaxLooks = 50;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  if (input.size() > kMaxInput) return 0;
  const size_t newline = input.find('\n');
  const auto expression = jsonata::Expression::compile(input.substr(0, newline));
  const std::string_view text =
      newline == input.npos ? std::string_view("{}") : input.substr(newline + 1);
  const auto document = jsonata::Document::parse(text);
  expect(document || !parse_json(text), "what others read as JSON, we read too", text);
  if (!expression || !document) return 0;
  jsonata::Options options;
  options.limits.memory = 16u << 20;
  options.limits.time = std::chrono::milliseconds(kMaxLooks);
  options.elapsed = [looks = 0]() mutable { return std::chrono::milliseconds(++looks); };
  const auto output = expression->evaluate(&*document, options);
  if (!output) {
    expect(!output.error().message.empty(), "an error says what is wrong", input);
    return 0;
  }
  const auto written = output->json();
  if (written && written->size() < kMaxInput)
    expect(parse_json(*written, {.depth = 100'000}).has_value() ||
               written->find("\\ud") != std::string::npos,
           "a result is JSON", *written);
  return 0;
}
