#include "search/index_service.h"

#include <gtest/gtest.h>

#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

class IndexServiceTest : public ::testing::Test {
 protected:
  IndexServiceTest() : root_(std::move(*sys::open_directory(tree_.path()))) {
    tree_.file("one.txt", "needle");
    tree_.file("two.txt", "hay");
  }
  std::optional<AllToSearch> ask(IndexService& service, std::string_view pattern) {
    const Required required = required_text(*parse_regex(pattern));
    return service.ask(root_, tree_.path(), {.required = required, .limits = {}});
  }

  TempTree tree_, state_;
  sys::Fd root_;
};

TEST_F(IndexServiceTest, ASmallTreeNeedsNoIndex) {
  IndexService service(state_.path(), IndexService::Life::stays);
  service.consider(root_, tree_.path(), kFilesThatPay - 1);
  service.settle();
  EXPECT_FALSE(ask(service, "needle"));
  EXPECT_TRUE(state_.names().empty());
}

TEST_F(IndexServiceTest, ALargeTreeIsIndexedBehindTheScenes) {
  IndexService service(state_.path(), IndexService::Life::stays);
  service.consider(root_, tree_.path(), kFilesThatPay);
  service.settle();
  const auto answer = ask(service, "needle");
  ASSERT_TRUE(answer);
  // The files are so new that the index does not trust what it read, so both may match.
  EXPECT_FALSE(answer->files.empty());
  std::vector<std::string> all;
  EXPECT_TRUE(
      service.visit_files(root_, tree_.path(), "", {},
                          [&](std::string_view path, std::int64_t) { all.emplace_back(path); }));
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::string>{"one.txt", "two.txt"}));
}

TEST_F(IndexServiceTest, AProcessOfOneCallBuildsNothing) {
  IndexService service(state_.path(), IndexService::Life::single_call);
  service.consider(root_, tree_.path(), 1'000'000);
  service.settle();
  EXPECT_TRUE(state_.names().empty());
}

TEST_F(IndexServiceTest, EndsWhileItBuilds) {
  for (int i = 0; i < 500; ++i) tree_.file("f" + std::to_string(i), std::string(10'000, 'x'));
  IndexService service(state_.path(), IndexService::Life::stays);
  service.consider(root_, tree_.path(), 500);
}

}  // namespace
}  // namespace helve::search
