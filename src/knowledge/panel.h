// Panels: matrices cut into strips of 16 columns, and the one product that all of the encoder's
// arithmetic is made of. For processors with AVX2, and for any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace helve::knowledge {

constexpr size_t kPanelColumns = 16;

// Some rows of numbers in memory.
struct Rows {
  float* data = nullptr;
  size_t stride = 0;  // from one row to the next
  size_t count = 0;

  float* row(size_t i) const { return data + i * stride; }
};

// Pure functions, for any thread.
struct Kernels {
  // out[r][c] = start[c] + scale[c] * the sum of a[r][k] * panel[k][c], for the 16 columns of a
  // panel.
  void (*multiply)(const Rows& a, size_t depth, const float* panel, const float* scale,
                   const float* start, const Rows& out);
  void (*widen)(const std::int16_t* from, size_t count, float* to);  // count: a multiple of 8
};
extern const Kernels kPortableKernels;
// The fastest that this processor has.
const Kernels& best_kernels();

// Weights, each in 16 bits: half the memory, and more exact than halves of IEEE 754, because each
// column has its own scale.
struct Weights {
  std::vector<float> scales;  // of the columns
  std::vector<std::int16_t> numbers;
};
// `numbers` lie row by row, and so do the weights.
Weights to_weights(std::span<const float> numbers, size_t rows);
// For each 16 columns, the rows of 16.
std::vector<std::int16_t> to_panels(std::span<const std::int16_t> numbers, size_t rows);

// Weights as they lie in the file, in panels.
struct Matrix {
  std::span<const std::int16_t> panels;
  std::span<const float> scales, bias;  // of the columns, which are a multiple of 16
  size_t depth = 0;
};
// out = a * matrix + bias.
void multiply(const Kernels& kernels, const Rows& a, const Matrix& matrix, const Rows& out);

}  // namespace helve::knowledge
