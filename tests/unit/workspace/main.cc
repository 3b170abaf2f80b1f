// The test program; with --write ROOT CONTENT it only writes ROOT/file, to be killed meanwhile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

#include "unit/workspace/fixture.h"

namespace {

bool write_in(const char* root, const char* content) {
  auto files = helve::workspace::Workspace::make(
      {.roots = {{root}}, .breadth = helve::workspace::Breadth::any});
  return files && helve::workspace::write_file(**files, "file", content);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--write") {
    // Without the checks at exit of sanitizers, which do not work under a tracer.
    ::_exit(write_in(argv[2], argv[3]) ? 0 : 1);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
