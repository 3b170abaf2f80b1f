// VectorRows: the vectors of passages, a byte a dimension, and which are nearest to another. It may
// stand on rows that lie in a file: these are used where they are, what is added lies in memory.
//
// One thread changes it, or any number ask it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "knowledge/embedder.h"
#include "knowledge/word_index.h"

namespace helve::knowledge {

// Both of the same size, a multiple of kRowStep; values from -127 to 127.
constexpr size_t kRowStep = 32;
using Dot = std::int32_t (*)(const std::int8_t* a, const std::int8_t* b, size_t size);
std::int32_t portable_dot(const std::int8_t* a, const std::int8_t* b, size_t size);
// The quickest that this machine can do; all give the same.
Dot quickest_dot();

// Rows of the passages from slot 0 on, as they lie in a file.
struct KeptRows {
  size_t dimensions = 0;
  std::span<const std::int8_t> values;
  std::span<const float> scales;  // negative: there is none
};
constexpr size_t row_width(size_t dimensions) {
  return (dimensions + kRowStep - 1) / kRowStep * kRowStep;
}

class VectorRows {
 public:
  // To begin with, of rows that have nothing yet. What they lie in is borrowed, until own().
  void keep(const KeptRows& rows);
  // All as they lie in memory.
  KeptRows own();
  // The first one says how many dimensions there are; those of another size are left out.
  void set(Slot slot, const Vector& vector);
  void drop(Slot slot);
  void renumber(const std::vector<Slot>& slots);

  bool has(Slot slot) const { return slot < scales_.size() && scales_[slot] >= 0; }
  size_t count() const { return count_; }

  // A vector as the rows are.
  struct Row {
    std::vector<std::int8_t> values;  // none: it cannot be compared with the rows
    float scale = 0;
  };
  Row row_of(const Vector& vector) const;

  double cosine(const Row& row, Slot slot) const;  // 0 without a vector

  struct Near {
    Slot slot = 0;
    float cosine = 0;
  };
  // The nearest first, of equals the lower slot; only what is accepted.
  std::vector<Near> nearest(const Row& row, size_t limit,
                            const std::function<bool(Slot)>& accept) const;

 private:
  const std::int8_t* at(Slot slot) const {
    return slot < kept_ ? kept_values_ + slot * width_ : values_.data() + (slot - kept_) * width_;
  }

  Dot dot_ = quickest_dot();
  size_t dimensions_ = 0;
  size_t width_ = 0;  // of a row: the dimensions, rounded up
  const std::int8_t* kept_values_ = nullptr;
  Slot kept_ = 0;                    // slots below this lie there …
  std::vector<std::int8_t> values_;  // … and the others here
  std::vector<float> scales_;        // by slot; negative: there is none
  size_t count_ = 0;
};

}  // namespace helve::knowledge
