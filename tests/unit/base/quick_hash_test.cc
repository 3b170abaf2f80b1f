#include "base/quick_hash.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

// XXH3's own values: what is on disk must be readable by the next version.
TEST(QuickHash, KeepsItsValues) {
  EXPECT_EQ(quick_hash(""), 0x2d06800538d394c2u);
  EXPECT_EQ(quick_hash_128(""), (Hash128{0x99aa06d3014798d8u, 0x6001c324468d497fu}));
}

TEST(QuickHash, DependsOnTextAndSeed) {
  EXPECT_NE(quick_hash("one"), quick_hash("two"));
  EXPECT_NE(quick_hash("one"), quick_hash("one", 1));
  EXPECT_NE(quick_hash_128("one"), quick_hash_128("one", 1));
}

}  // namespace
}  // namespace helve
