#include "knowledge/vector_rows.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace helve::knowledge {
namespace {

constexpr float kNone = -1;
constexpr float kHighest = 127;

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::int32_t avx2_dot(const std::int8_t* a, const std::int8_t* b,
                                                      size_t size) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (size_t i = 0; i < size; i += kRowStep) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
    // The instruction wants one side without signs; two products fit into 16 bits.
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(y, x));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  }
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0b01'00'11'10));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0b10'11'00'01));
  return _mm_cvtsi128_si32(half);
}
#endif

bool is_nearer(const VectorRows::Near& a, const VectorRows::Near& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.slot < b.slot;
}

}  // namespace

std::int32_t portable_dot(const std::int8_t* a, const std::int8_t* b, size_t size) {
  std::int32_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

Dot quickest_dot() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2_dot;
#endif
  return portable_dot;
}

void VectorRows::keep(const KeptRows& rows) {
  dimensions_ = rows.dimensions;
  width_ = row_width(dimensions_);
  kept_values_ = rows.values.data();
  kept_ = static_cast<Slot>(rows.scales.size());
  scales_.assign(rows.scales.begin(), rows.scales.end());
  count_ =
      static_cast<size_t>(std::ranges::count_if(scales_, [](float scale) { return scale >= 0; }));
}

KeptRows VectorRows::own() {
  values_.insert(values_.begin(), kept_values_, kept_values_ + kept_ * width_);
  kept_values_ = nullptr;
  kept_ = 0;
  return {dimensions_, values_, scales_};
}

VectorRows::Row VectorRows::row_of(const Vector& vector) const {
  Row row;
  const bool is_finite = std::ranges::all_of(vector, [](float x) { return std::isfinite(x); });
  if (vector.size() != dimensions_ || !is_finite) return row;
  float highest = 0;
  for (const float x : vector) highest = std::max(highest, std::abs(x));
  row.scale = highest / kHighest;
  row.values.resize(width_);
  for (size_t i = 0; i < vector.size() && highest > 0; ++i)
    row.values[i] = static_cast<std::int8_t>(std::lround(vector[i] / row.scale));
  return row;
}

void VectorRows::set(Slot slot, const Vector& vector) {
  if (dimensions_ == 0) {
    dimensions_ = vector.size();
    width_ = row_width(dimensions_);
  }
  const Row row = row_of(vector);
  if (row.values.empty()) return;
  if (slot < kept_) (void)own();
  if (slot >= scales_.size()) {
    scales_.resize(slot + 1, kNone);
    values_.resize((scales_.size() - kept_) * width_);
  }
  if (scales_[slot] < 0) ++count_;
  scales_[slot] = row.scale;
  std::ranges::copy(row.values,
                    values_.begin() + static_cast<std::ptrdiff_t>((slot - kept_) * width_));
}

void VectorRows::drop(Slot slot) {
  if (!has(slot)) return;
  scales_[slot] = kNone;
  --count_;
}

void VectorRows::renumber(const std::vector<Slot>& slots) {
  (void)own();
  size_t end = 0;
  for (Slot old = 0; old < scales_.size(); ++old) {
    const Slot slot = slots[old];
    if (slot == kGone) continue;
    scales_[slot] = scales_[old];
    std::copy_n(at(old), width_, values_.begin() + static_cast<std::ptrdiff_t>(slot * width_));
    end = slot + 1;
  }
  scales_.resize(end);
  values_.resize(end * width_);
}

double VectorRows::cosine(const Row& row, Slot slot) const {
  if (!has(slot) || row.values.empty()) return 0;
  return static_cast<double>(dot_(row.values.data(), at(slot), width_)) * row.scale * scales_[slot];
}

std::vector<VectorRows::Near> VectorRows::nearest(const Row& row, size_t limit,
                                                  const std::function<bool(Slot)>& accept) const {
  std::vector<Near> best;  // a heap, the farthest on top
  if (row.values.empty() || limit == 0) return best;
  for (Slot slot = 0; slot < scales_.size(); ++slot) {
    if (scales_[slot] < 0) continue;
    const Near near{slot, static_cast<float>(cosine(row, slot))};
    const bool is_full = best.size() == limit;
    if ((is_full && !is_nearer(near, best.front())) || !accept(slot)) continue;
    if (is_full) {
      std::ranges::pop_heap(best, is_nearer);
      best.pop_back();
    }
    best.push_back(near);
    std::ranges::push_heap(best, is_nearer);
  }
  std::ranges::sort_heap(best, is_nearer);
  return best;
}

}  // namespace helve::knowledge
