#include "app/piped_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "sys/stream.h"
#include "unit/temp_store.h"

namespace helve::app {
namespace {

using helve::testing::must;
using std::chrono::milliseconds;

constexpr milliseconds kLong{600'000};

Piped read(int descriptor, milliseconds patience = kLong) {
  return must(read_piped(descriptor, patience, {}));
}

TEST(PipedInput, IsAllThatComesThroughAPipe) {
  sys::Pipe pipe = must(sys::make_pipe());
  const std::string text(300'000, 'x');
  std::jthread writer([&] {
    EXPECT_TRUE(sys::write_all(pipe.write.get(), text));
    pipe.write = {};
  });
  EXPECT_EQ(read(pipe.read.get()).text, text);
}

TEST(PipedInput, IsNothingWhereAPipeIsClosed) {
  sys::Pipe pipe = must(sys::make_pipe());
  pipe.write = {};
  const Piped piped = read(pipe.read.get());
  EXPECT_EQ(piped.text, "");
  EXPECT_FALSE(piped.is_silent);
}

TEST(PipedInput, IsGivenUpWhenNobodyWrites) {
  const sys::Pipe pipe = must(sys::make_pipe());
  EXPECT_TRUE(read(pipe.read.get(), milliseconds(1)).is_silent);
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const sys::Fd ours(sockets[0]), theirs(sockets[1]);
  EXPECT_TRUE(read(ours.get(), milliseconds(1)).is_silent);
  EXPECT_TRUE(sys::write_all(theirs.get(), "from an editor"));
  ::shutdown(theirs.get(), SHUT_WR);
  EXPECT_EQ(read(ours.get()).text, "from an editor");
}

TEST(PipedInput, CanBeStoppedAtAnyTime) {
  const sys::Pipe pipe = must(sys::make_pipe());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(read_piped(pipe.read.get(), kLong, stop.get_token()).error().code, Code::cancelled);
  EXPECT_TRUE(sys::write_all(pipe.write.get(), "begun"));
  std::stop_source later;
  std::jthread stopper([&] { later.request_stop(); });
  EXPECT_EQ(read_piped(pipe.read.get(), kLong, later.get_token()).error().code, Code::cancelled);
}

TEST(PipedInput, IsAFileFromWhereItStands) {
  char path[] = "/tmp/helve_piped_XXXXXX";
  const sys::Fd file(mkstemp(path));
  unlink(path);
  EXPECT_TRUE(sys::write_all(file.get(), "read this"));
  EXPECT_EQ(read(file.get()).text, "");
  lseek(file.get(), 5, SEEK_SET);
  EXPECT_EQ(read(file.get()).text, "this");
  ASSERT_EQ(ftruncate(file.get(), kMaxPiped + 1), 0);
  lseek(file.get(), 0, SEEK_SET);
  EXPECT_EQ(read_piped(file.get(), kLong, {}).error().code, Code::too_large);
}

TEST(PipedInput, IsNothingOfWhatNobodyPiped) {
  const sys::Fd none(open("/dev/null", O_RDONLY)), zero(open("/dev/zero", O_RDONLY));
  EXPECT_EQ(read(none.get()).text, "");
  EXPECT_EQ(read(zero.get()).text, "");
  EXPECT_EQ(read(-1).text, "");
}

}  // namespace
}  // namespace helve::app
