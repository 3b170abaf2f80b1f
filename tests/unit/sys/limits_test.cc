#include "sys/limits.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "sys/file_descriptor.h"

namespace helve::sys {
namespace {

constexpr int kRefused = 7, kWritten = 8, kNotConfined = 9;

[[noreturn]] void write_confined(const std::string& path) {
  const Fd file(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!confine_self({.memory = std::uint64_t{4} << 30, .cpu = std::chrono::seconds(60)}))
    _exit(kNotConfined);
  _exit(write(file.get(), "x", 1) < 0 && errno == EFBIG ? kRefused : kWritten);
}

TEST(Limits, WhoIsConfinedIsRefusedFilesAndLivesOn) {
  const std::string path = testing::TempDir() + "helve-limits-test";
  EXPECT_EXIT(write_confined(path), testing::ExitedWithCode(kRefused), "");
  unlink(path.c_str());
}

}  // namespace
}  // namespace helve::sys
