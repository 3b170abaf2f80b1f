// What a tree says of directories that it could not read.
#include <sys/stat.h>

#include "unit/tools/fixture.h"

namespace helve {
namespace {

using TreeTool = ToolTest;

TEST_F(TreeTool, DoesNotCallADirectoryEmptyThatItCouldNotRead) {
  tree.directory("bare");
  tree.file("closed/b");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("closed").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Answer answer = call("tree", "{}");
    return answer.text ==
                   "./\n  bare/ (empty)\n  closed/\n2 directories, 0 files\n"
                   "note: 'closed' cannot be read: permission denied\n"
               ? ""
               : answer.text;
  });
}

}  // namespace
}  // namespace helve
