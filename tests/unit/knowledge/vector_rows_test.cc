#include "knowledge/vector_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace helve::knowledge {
namespace {

using testing::IsEmpty;

bool anything(Slot) { return true; }

Vector random_vector(std::mt19937& random, size_t size) {
  std::normal_distribution<float> value;
  Vector out(size);
  float squares = 0;
  for (float& x : out) {
    x = value(random);
    squares += x * x;
  }
  for (float& x : out) x /= std::sqrt(squares);
  return out;
}

double cosine(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(VectorRows, GiveTheSameProductsOnEveryMachine) {
  std::mt19937 random(5);
  for (size_t size = kRowStep; size <= 1024; size += kRowStep) {
    std::vector<std::int8_t> a(size);
    std::vector<std::int8_t> b(size);
    for (size_t i = 0; i < size; ++i) {
      a[i] = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
      b[i] = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    }
    EXPECT_EQ(quickest_dot()(a.data(), b.data(), size), portable_dot(a.data(), b.data(), size));
    std::ranges::fill(a, std::int8_t{-127});
    std::ranges::fill(b, std::int8_t{127});
    EXPECT_EQ(quickest_dot()(a.data(), b.data(), size), -127 * 127 * static_cast<int>(size));
  }
}

TEST(VectorRows, FindTheNearest) {
  std::mt19937 random(6);
  for (const size_t size : {3u, 32u, 100u, 512u}) {
    VectorRows rows;
    std::vector<Vector> vectors;
    for (Slot slot = 0; slot < 500; ++slot) {
      vectors.push_back(random_vector(random, size));
      rows.set(slot, vectors.back());
    }
    const Vector question = random_vector(random, size);
    const auto nearest = rows.nearest(rows.row_of(question), 10, anything);
    ASSERT_EQ(nearest.size(), 10u);
    for (const VectorRows::Near& near : nearest)
      EXPECT_NEAR(near.cosine, cosine(question, vectors[near.slot]), 0.02);
    size_t better = 0;
    for (const Vector& vector : vectors) {
      if (cosine(question, vector) > nearest.back().cosine + 0.02) ++better;
    }
    EXPECT_LE(better, 9u);
  }
}

TEST(VectorRows, LeaveOutWhatIsNotAcceptedOrHasNone) {
  VectorRows rows;
  rows.set(0, {1, 0});
  rows.set(2, {1, 0});
  rows.set(3, {0, 1});
  rows.drop(2);
  rows.drop(1);
  EXPECT_EQ(rows.count(), 2u);
  EXPECT_FALSE(rows.has(2));
  const auto nearest = rows.nearest(rows.row_of({1, 0}), 10, [](Slot slot) { return slot != 0; });
  ASSERT_EQ(nearest.size(), 1u);
  EXPECT_EQ(nearest[0].slot, 3u);
  EXPECT_EQ(rows.cosine(rows.row_of({1, 0}), 2), 0);
}

TEST(VectorRows, TakeNoVectorOfAnotherSizeOrWithoutSense) {
  VectorRows rows;
  rows.set(0, {1, 0});
  rows.set(1, {1, 0, 0});
  rows.set(2, {std::numeric_limits<float>::quiet_NaN(), 0});
  rows.set(3, {0, 0});
  EXPECT_TRUE(rows.has(0));
  EXPECT_FALSE(rows.has(1));
  EXPECT_FALSE(rows.has(2));
  EXPECT_TRUE(rows.has(3));
  EXPECT_THAT(rows.nearest(rows.row_of({1, 0, 0}), 10, anything), IsEmpty());
  EXPECT_THAT(VectorRows().nearest(VectorRows().row_of({1}), 10, anything), IsEmpty());
}

TEST(VectorRows, MoveToNewNumbers) {
  VectorRows rows;
  rows.set(1, {1, 0});
  rows.set(3, {0, 1});
  rows.drop(1);
  rows.renumber({kGone, kGone, 0, 1, 2});
  EXPECT_FALSE(rows.has(0));
  EXPECT_TRUE(rows.has(1));
  EXPECT_NEAR(rows.cosine(rows.row_of({0, 1}), 1), 1, 0.01);
}

}  // namespace
}  // namespace helve::knowledge
