#include "sys/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace helve::sys {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    if (!::mkdtemp(directory_.data())) std::abort();
    path_ = directory_ + "/file";
    content_.resize(3'000'000, 'x');
    std::ofstream(path_) << content_;
  }
  ~WholeFile() override { fs::remove_all(directory_); }

  std::string directory_ = fs::temp_directory_path() / "helve_whole_XXXXXX";
  std::string path_;
  std::string content_ = "begin";
};

TEST_F(WholeFile, IsAsItWasWhenItWasRead) {
  const auto read = read_whole_file(path_, 4'000'000);
  ASSERT_TRUE(read);
  fs::resize_file(path_, 10);
  EXPECT_EQ(*read, content_);
}

TEST_F(WholeFile, HasABound) {
  const auto read = read_whole_file(path_, 1'000);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::too_large);
}

TEST_F(WholeFile, IsARegularFile) {
  EXPECT_EQ(read_whole_file(directory_, 1'000).error().type, "not_a_file");
  const std::string fifo = directory_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_whole_file(fifo, 1'000).error().type, "not_a_file");
  EXPECT_EQ(read_whole_file(directory_ + "/none", 1'000).error().code, Code::not_found);
}

}  // namespace
}  // namespace helve::sys
