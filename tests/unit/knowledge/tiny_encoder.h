// A small encoder with made-up weights, as a package and as a file.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "knowledge/encoder_package.h"

namespace helve::knowledge {

constexpr EncoderShape kTinyShape{
    .tokens = 12, .pieces = 11, .first_width = 32, .width = 64, .inner_width = 48, .heads = 2};

// The numbers of a part, the same each time.
inline std::vector<float> tiny_numbers(const PartPlan& part) {
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(part.name)));
  // Small enough for the last layer to tell values apart.
  const float most = 1.5f / std::sqrt(static_cast<float>(part.rows));
  std::uniform_real_distribution<float> uniform(-most, most);
  std::vector<float> numbers(part.rows * part.columns);
  for (float& each : numbers) each = uniform(random);
  return numbers;
}

inline EncoderPackage tiny_package() {
  EncoderPackage package;
  JsonArray weights;
  for (const PartPlan& part : plan_of(kTinyShape)) {
    if (part.name.empty()) continue;
    weights.push_back(JsonObject{
        {"name", part.name}, {"dtype", "float32"}, {"shape", JsonArray{part.rows, part.columns}}});
    const std::vector<float> numbers = tiny_numbers(part);
    package.weights.append(reinterpret_cast<const char*>(numbers.data()),
                           numbers.size() * sizeof(float));
  }
  package.model = to_text(
      JsonObject{{"weightsManifest", JsonArray{JsonObject{{"weights", std::move(weights)}}}}});
  // The first six mean no text; \u2581 is the space.
  package.vocabulary =
      R"([["?",0],["",0],["",0],["",0],["",0],["",0],["▁",-3],["a",-2],["b",-2.5],["▁ab",-3.5],["é",null]])";
  return package;
}

}  // namespace helve::knowledge
