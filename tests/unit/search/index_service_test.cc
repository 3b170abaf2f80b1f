#include "search/index_service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

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

// A build each time would make none of them known.
TEST_F(IndexServiceTest, BuildsNothingAnewForFilesWithSeveralNames) {
  for (int i = 0; i < 120; ++i) {
    const std::string name = "f" + std::to_string(i);
    tree_.file(name, "needle");
    std::filesystem::create_hard_link(tree_.path(name), tree_.path(name + "x"));
  }
  IndexService service(state_.path(), IndexService::Life::stays, std::chrono::milliseconds(0));
  service.consider(root_, tree_.path(), kFilesThatPay);
  service.settle();
  const auto segments = [&] { return service.index_of(tree_.path()).open()->size(); };
  const auto names = [&] {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state_.path()))
      all.insert(entry.path());
    return all;
  };
  EXPECT_EQ(segments(), 1u);
  const auto before = names();
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(ask(service, "needle")->files.size(), 240u);
    service.settle();
  }
  EXPECT_EQ(names(), before);
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
