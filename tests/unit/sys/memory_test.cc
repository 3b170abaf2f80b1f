#include "sys/memory.h"

#include <gtest/gtest.h>

namespace helve::sys {
namespace {

TEST(ReserveForWriting, LeavesRoomForAllThatIsWritten) {
  for (const size_t bytes : {0uz, 1uz, 4'096uz, (1uz << 20) - 1, 1uz << 20, (2uz << 20) - 4'096,
                             2uz << 20, (6uz << 20) + 1}) {
    std::string buffer;
    reserve_for_writing(buffer, bytes);
    EXPECT_GE(buffer.capacity(), bytes);
    const char* const before = buffer.data();
    buffer.assign(bytes, 'x');
    EXPECT_EQ(buffer.data(), before) << bytes << " bytes were moved";
  }
}

}  // namespace
}  // namespace helve::sys
