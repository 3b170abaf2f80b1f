#include "knowledge/panel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace helve::knowledge {
namespace {

std::vector<float> random_numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& each : numbers) each = normal(random);
  return numbers;
}

TEST(Panel, ProductsAreThoseOfTheDefinition) {
  constexpr size_t kDepth = 48, kColumns = 32;
  const std::vector<float> numbers = random_numbers(kDepth * kColumns, 1);
  const std::vector<float> bias = random_numbers(kColumns, 2);
  const Weights weights = to_weights(numbers, kDepth);
  const std::vector<std::int16_t> panels = to_panels(weights.numbers, kDepth);
  for (const Kernels* kernels : {&kPortableKernels, &best_kernels()}) {
    for (size_t rows = 1; rows <= 20; ++rows) {
      std::vector<float> a = random_numbers(rows * kDepth, 3), out(rows * kColumns, -1);
      multiply(*kernels, {a.data(), kDepth, rows}, {panels, weights.scales, bias, kDepth},
               {out.data(), kColumns, rows});
      for (size_t r = 0; r < rows; ++r) {
        for (size_t c = 0; c < kColumns; ++c) {
          double sum = bias[c];
          for (size_t k = 0; k < kDepth; ++k)
            sum += double{a[r * kDepth + k]} * numbers[k * kColumns + c];
          ASSERT_NEAR(out[r * kColumns + c], sum, 2e-3) << rows << " " << r << " " << c;
        }
      }
    }
  }
}

TEST(Panel, RowsMayStandApart) {
  // A part of a wider block is multiplied, into a part of another; the rest stays.
  const std::vector<float> panel(2 * kPanelColumns, 1), scale(kPanelColumns, 2),
      start(kPanelColumns, 10);
  for (const Kernels* kernels : {&kPortableKernels, &best_kernels()}) {
    std::vector<float> a = {1, 2, 99, 3, 4, 99}, out(2 * 20, -1);
    kernels->multiply({a.data(), 3, 2}, 2, panel.data(), scale.data(), start.data(),
                      {out.data(), 20, 2});
    EXPECT_EQ(out[0], 16);
    EXPECT_EQ(out[15], 16);
    EXPECT_EQ(out[16], -1);
    EXPECT_EQ(out[20], 24);
  }
}

TEST(Panel, WeightsAreNearToTheirNumbers) {
  const std::vector<float> numbers = {1, 1000, 0, -0.5f, -30, 0, 0.3333f, 999, 0};
  const Weights weights = to_weights(numbers, 3);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float scale = weights.scales[i % 3];
    EXPECT_NEAR(static_cast<float>(weights.numbers[i]) * scale, numbers[i], scale * 0.51f);
  }
  EXPECT_EQ(weights.numbers[0], 32767);
}

TEST(Panel, BothKernelsWidenAlike) {
  std::vector<std::int16_t> numbers;
  for (int i = -32768; i < 32768; i += 32) numbers.push_back(static_cast<std::int16_t>(i));
  std::vector<float> plain(numbers.size()), best(numbers.size());
  kPortableKernels.widen(numbers.data(), numbers.size(), plain.data());
  best_kernels().widen(numbers.data(), numbers.size(), best.data());
  EXPECT_EQ(plain, best);
  EXPECT_EQ(plain.front(), -32768.0f);
}

}  // namespace
}  // namespace helve::knowledge
