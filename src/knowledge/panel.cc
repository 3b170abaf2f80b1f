#include "knowledge/panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace helve::knowledge {
namespace {

// Rows that are multiplied at once: their sums stay in registers.
constexpr size_t kBlock = 6;

template <size_t kRows>
void multiply_block(const Rows& a, size_t first, size_t depth, const float* panel,
                    const float* scale, const float* start, const Rows& out) {
  std::array<std::array<float, kPanelColumns>, kRows> sums{};
  for (size_t k = 0; k < depth; ++k) {
    const float* const line = panel + k * kPanelColumns;
    for (size_t r = 0; r < kRows; ++r) {
      const float factor = a.row(first + r)[k];
      for (size_t c = 0; c < kPanelColumns; ++c) sums[r][c] += factor * line[c];
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t c = 0; c < kPanelColumns; ++c)
      out.row(first + r)[c] = start[c] + scale[c] * sums[r][c];
  }
}

void multiply_portable(const Rows& a, size_t depth, const float* panel, const float* scale,
                       const float* start, const Rows& out) {
  size_t row = 0;
  for (; row + 2 <= a.count; row += 2) multiply_block<2>(a, row, depth, panel, scale, start, out);
  if (row < a.count) multiply_block<1>(a, row, depth, panel, scale, start, out);
}

void widen_portable(const std::int16_t* from, size_t count, float* to) {
  std::copy_n(from, count, to);
}

#if defined(__x86_64__)
#define HELVE_AVX2 __attribute__((target("avx2,fma")))

template <size_t kRows>
HELVE_AVX2 void multiply_block_avx2(const Rows& a, size_t first, size_t depth, const float* panel,
                                    const float* scale, const float* start, const Rows& out) {
  // Every loop over the rows is unrolled: only then the sums stay in registers.
  __m256 low[kRows], high[kRows];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_ps();
  const float* const rows = a.row(first);
  for (size_t k = 0; k < depth; ++k) {
    const __m256 panel_low = _mm256_loadu_ps(panel + k * kPanelColumns);
    const __m256 panel_high = _mm256_loadu_ps(panel + k * kPanelColumns + 8);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const __m256 factor = _mm256_broadcast_ss(rows + r * a.stride + k);
      low[r] = _mm256_fmadd_ps(factor, panel_low, low[r]);
      high[r] = _mm256_fmadd_ps(factor, panel_high, high[r]);
    }
  }
  const __m256 scale_low = _mm256_loadu_ps(scale), scale_high = _mm256_loadu_ps(scale + 8);
  const __m256 start_low = _mm256_loadu_ps(start), start_high = _mm256_loadu_ps(start + 8);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    _mm256_storeu_ps(out.row(first + r), _mm256_fmadd_ps(low[r], scale_low, start_low));
    _mm256_storeu_ps(out.row(first + r) + 8, _mm256_fmadd_ps(high[r], scale_high, start_high));
  }
}

HELVE_AVX2 void multiply_avx2(const Rows& a, size_t depth, const float* panel, const float* scale,
                              const float* start, const Rows& out) {
  constexpr decltype(&multiply_block_avx2<1>) kRest[kBlock] = {nullptr,
                                                               multiply_block_avx2<1>,
                                                               multiply_block_avx2<2>,
                                                               multiply_block_avx2<3>,
                                                               multiply_block_avx2<4>,
                                                               multiply_block_avx2<5>};
  size_t row = 0;
  for (; row + kBlock <= a.count; row += kBlock)
    multiply_block_avx2<kBlock>(a, row, depth, panel, scale, start, out);
  if (row < a.count) kRest[a.count - row](a, row, depth, panel, scale, start, out);
}

HELVE_AVX2 void widen_avx2(const std::int16_t* from, size_t count, float* to) {
  for (size_t i = 0; i < count; i += 8) {
    const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(numbers)));
  }
}

constexpr Kernels kAvx2Kernels{multiply_avx2, widen_avx2};

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

}  // namespace

const Kernels kPortableKernels{multiply_portable, widen_portable};

const Kernels& best_kernels() {
#if defined(__x86_64__)
  static const Kernels& best = has_avx2() ? kAvx2Kernels : kPortableKernels;
  return best;
#else
  return kPortableKernels;
#endif
}

Weights to_weights(std::span<const float> numbers, size_t rows) {
  constexpr float kLargest = 32767;
  const size_t columns = numbers.size() / rows;
  Weights weights{std::vector<float>(columns), std::vector<std::int16_t>(numbers.size())};
  for (size_t i = 0; i < numbers.size(); ++i) {
    float& scale = weights.scales[i % columns];
    scale = std::max(scale, std::abs(numbers[i]) / kLargest);
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float scale = weights.scales[i % columns];
    weights.numbers[i] = static_cast<std::int16_t>(scale > 0 ? std::lrint(numbers[i] / scale) : 0);
  }
  return weights;
}

std::vector<std::int16_t> to_panels(std::span<const std::int16_t> numbers, size_t rows) {
  const size_t columns = numbers.size() / rows;
  std::vector<std::int16_t> panels;
  panels.reserve(numbers.size());
  for (size_t first = 0; first < columns; first += kPanelColumns) {
    for (size_t k = 0; k < rows; ++k) {
      const auto line = numbers.subspan(k * columns + first, kPanelColumns);
      panels.insert(panels.end(), line.begin(), line.end());
    }
  }
  return panels;
}

void multiply(const Kernels& kernels, const Rows& a, const Matrix& matrix, const Rows& out) {
  const size_t panel_size = matrix.depth * kPanelColumns;
  std::vector<float> panel(panel_size);
  for (size_t column = 0; column < matrix.bias.size(); column += kPanelColumns) {
    kernels.widen(matrix.panels.data() + column * matrix.depth, panel_size, panel.data());
    kernels.multiply(a, matrix.depth, panel.data(), matrix.scales.data() + column,
                     matrix.bias.data() + column, {out.data + column, out.stride, out.count});
  }
}

}  // namespace helve::knowledge
