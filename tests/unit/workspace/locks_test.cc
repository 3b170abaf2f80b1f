#include "workspace/locks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace helve::workspace {
namespace {

TEST(Locks, LetOneHolderOfANameInAtATime) {
  Locks locks;
  int inside = 0, highest = 0;  // guarded by the lock under test
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          const auto held = locks.acquire({"file"});
          highest = std::max(highest, ++inside);
          --inside;
        }
      });
    }
  }
  EXPECT_EQ(highest, 1);
}

TEST(Locks, LetHoldersOfOtherNamesPass) {
  Locks locks;
  const auto first = locks.acquire({"one"});
  std::jthread([&] { const auto second = locks.acquire({"two"}); }).join();
}

}  // namespace
}  // namespace helve::workspace
