#include "sys/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace helve::sys {
namespace {

namespace fs = std::filesystem;

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(base_), nullptr);
    for (const char* name : {"work/bin", "safe"}) fs::create_directories(path(name));
  }
  void TearDown() override { fs::remove_all(base_); }

  std::string path(const std::string& name) const { return std::string(base_) + "/" + name; }
  void program(const std::string& name) const {
    std::ofstream(path(name)) << "#!/bin/sh\n";
    ::chmod(path(name).c_str(), 0755);
  }
  // Where it was found, below the base; or why not.
  std::string found(const std::string& search) const {
    const auto program = find_program("tool", search, {path("work")});
    return program ? program->substr(std::string(base_).size() + 1) : program.error().message;
  }

  char base_[32] = "/tmp/program_test_XXXXXX";
};

TEST_F(ProgramTest, IsNotTakenFromWhereCommandsWrite) {
  program("work/bin/tool");
  EXPECT_EQ(found(path("work/bin") + ":" + path("safe")),
            "the program 'tool' is found only in the workspace, where commands can change it");
  program("safe/tool");
  EXPECT_EQ(found(path("work/bin") + ":" + path("safe")), "safe/tool");
}

TEST_F(ProgramTest, IsNotTakenThroughALinkThatLeadsThere) {
  program("work/bin/tool");
  fs::create_symlink(path("work/bin/tool"), path("safe/tool"));
  fs::create_symlink(path("work/bin"), path("bin"));
  EXPECT_NE(found(path("safe") + ":" + path("bin")), "safe/tool");
}

TEST_F(ProgramTest, IsNotTakenFromADirectoryThatIsNotAbsolute) {
  program("safe/tool");
  EXPECT_EQ(found(":.:safe"), "the program 'tool' is not found");
}

TEST_F(ProgramTest, IsAFileThatCanBeExecuted) {
  std::ofstream(path("safe/tool")) << "text";
  EXPECT_EQ(found(path("safe")), "the program 'tool' is not found");
}

}  // namespace
}  // namespace helve::sys
