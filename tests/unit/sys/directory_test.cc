#include "sys/directory.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "unit/workspace/temp_tree.h"

namespace helve::sys {
namespace {

TEST(Directory, GivesEveryEntryWithItsKind) {
  TempTree tree;
  tree.file("file");
  tree.directory("sub");
  tree.link("link", "file");
  tree.file("odd\n\x1b\xff");
  std::map<std::string, FileKind> found;
  const Fd directory = std::move(*open_directory(tree.path()));
  ASSERT_TRUE(for_each_entry(directory, [&](const DirectoryEntry& entry) {
    found[std::string(entry.name)] =
        entry.kind ? *entry.kind : status_at(directory, entry.name)->kind;
    return true;
  }));
  const std::map<std::string, FileKind> expected = {{"file", FileKind::file},
                                                    {"sub", FileKind::directory},
                                                    {"link", FileKind::symlink},
                                                    {"odd\n\x1b\xff", FileKind::file}};
  EXPECT_EQ(found, expected);
}

TEST(Directory, StopsWhenAskedAndStartsAnewTheNextTime) {
  TempTree tree;
  for (const char* name : {"a", "b", "c"}) tree.file(name);
  const Fd directory = std::move(*open_directory(tree.path()));
  int visits = 0;
  ASSERT_TRUE(for_each_entry(directory, [&](const DirectoryEntry&) { return ++visits < 2; }));
  EXPECT_EQ(visits, 2);
  visits = 0;
  ASSERT_TRUE(for_each_entry(directory, [&](const DirectoryEntry&) { return ++visits > 0; }));
  EXPECT_EQ(visits, 3);
}

TEST(Directory, FailsOnWhatIsNoDirectory) {
  TempTree tree;
  tree.file("file");
  const Fd root = std::move(*open_directory(tree.path()));
  const Fd file = std::move(*open_beneath(root, "file", Open::read));
  const auto done = for_each_entry(file, [](const DirectoryEntry&) { return true; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), std::errc::not_a_directory);
}

}  // namespace
}  // namespace helve::sys
