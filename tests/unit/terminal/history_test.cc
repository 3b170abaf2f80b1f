#include "terminal/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "unit/workspace/temp_tree.h"

namespace helve::terminal {
namespace {

struct Place {
  std::string path() const { return tree.path("state/history"); }
  void put(std::string_view bytes) const { tree.file("state/history", bytes); }
  size_t size() const { return tree.content("state/history").size(); }
  TempTree tree;
};

using Entries = std::vector<std::string>;

TEST(History, KeepsEntriesOfSeveralLinesInAPrivateFile) {
  const Place place;
  const History history(place.path());
  EXPECT_EQ(history.load().value(), Entries{});
  for (const std::string_view entry : {"one", "two\nlines\\n", "two\nlines\\n", "  \n", "three"})
    ASSERT_TRUE(history.add(entry));
  EXPECT_EQ(history.load().value(), (Entries{"one", "two\nlines\\n", "three"}));
  struct stat info;
  ASSERT_EQ(stat(place.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(History, SkipsWhatIsDamaged) {
  const Place place;
  place.put(std::string("good\n\xff\xfe\nbad\\x\nbad\\\nnul") + '\0' + "x\n\nlast");
  const History history(place.path());
  EXPECT_EQ(history.load().value(), (Entries{"good", "last"}));
  ASSERT_TRUE(history.add("new"));  // behind a line that was not finished
  EXPECT_EQ(history.load().value(), (Entries{"good", "last", "new"}));
}

TEST(History, IsBounded) {
  const Place place;
  std::string many;
  for (size_t i = 0; i < 2 * kMostEntries; ++i) many += std::to_string(i) + "\n";
  place.put(many);
  const History history(place.path());
  EXPECT_EQ(history.load().value().size(), kMostEntries);
  ASSERT_TRUE(history.add("new"));
  EXPECT_EQ(history.load().value().size(), kMostEntries);
  EXPECT_EQ(history.load().value().back(), "new");
  EXPECT_LT(place.size(), many.size());
  ASSERT_TRUE(history.add(std::string(kMostEntry + 1, 'x')));
  EXPECT_EQ(history.load().value().back(), "new");
  for (int i = 0; i < 80; ++i)
    ASSERT_TRUE(history.add(std::to_string(i) + std::string(kMostEntry - 9, '\\')));
  EXPECT_LT(place.size(), 3u << 20);
}

TEST(History, LosesNothingOfThoseWhoShareIt) {
  const Place place;
  std::string many;
  for (size_t i = 0; i + 20 < 2 * kMostEntries; ++i) many += std::to_string(i) + "\n";
  place.put(many);  // it is tidied meanwhile
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i)
        EXPECT_TRUE(History(place.path()).add("t" + std::to_string(t) + "-" + std::to_string(i)));
    });
  for (std::thread& thread : threads) thread.join();
  const Entries entries = History(place.path()).load().value();
  EXPECT_EQ(std::ranges::count_if(entries, [](const std::string& e) { return e[0] == 't'; }), 100);
}

TEST(History, RefusesAFileThatIsNoneOfOurs) {
  const Place place;
  place.put(std::string(9u << 20, 'x'));
  const auto loaded = History(place.path()).load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::too_large);
}

}  // namespace
}  // namespace helve::terminal
