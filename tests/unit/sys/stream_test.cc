#include "sys/stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace helve::sys {
namespace {

constexpr int kTaken = 7, kFree = 8, kUsable = 9;

[[noreturn]] void take_closed_streams() {
  for (int stream = 0; stream < 3; ++stream) close(stream);
  take_standard_streams();
  if (open("/dev/null", O_RDWR | O_CLOEXEC) < 3) _exit(kFree);
  char byte = 0;
  const bool is_usable = read(0, &byte, 1) >= 0 || write(1, "x", 1) >= 0 || write(2, "x", 1) >= 0;
  _exit(is_usable ? kUsable : kTaken);
}

// What is opened later would take their numbers, and be handed to commands as their streams.
TEST(Stream, TakesTheNumbersOfClosedStreamsWhichStayAsUseless) {
  EXPECT_EXIT(take_closed_streams(), testing::ExitedWithCode(kTaken), "");
}

}  // namespace
}  // namespace helve::sys
