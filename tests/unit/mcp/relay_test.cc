#include "mcp/relay.h"

#include <gtest/gtest.h>

#include <thread>

namespace helve::mcp {
namespace {

TEST(Relay, StaysWithAReaderWhoseWorkIsShort) {
  Relay relay;
  for (int i = 0; i < 1000; ++i) {
    const Relay::Turn turn = relay.offer();
    EXPECT_TRUE(relay.reclaim(turn));
  }
}

TEST(Relay, PassesFromAReaderWhoseWorkIsLong) {
  Relay relay;
  ASSERT_TRUE(relay.reserve());
  const Relay::Turn turn = relay.offer();
  std::thread other([&] { EXPECT_TRUE(relay.stand_by()); });
  other.join();  // it returns only once it has taken over
  EXPECT_FALSE(relay.reclaim(turn));
}

TEST(Relay, HasOnePlaceToStandBy) {
  Relay relay;
  EXPECT_TRUE(relay.reserve());
  EXPECT_FALSE(relay.reserve());
  relay.give_back();
  EXPECT_TRUE(relay.reserve());
}

TEST(Relay, FreesThePlaceOfTheOneWhoTookOver) {
  Relay relay;
  ASSERT_TRUE(relay.reserve());
  (void)relay.offer();
  ASSERT_TRUE(relay.stand_by());
  EXPECT_TRUE(relay.reserve());
}

TEST(Relay, SendsTheOneWhoStandsByHomeAtTheEnd) {
  Relay relay;
  ASSERT_TRUE(relay.reserve());
  std::thread other([&] { EXPECT_FALSE(relay.stand_by()); });
  relay.end();
  other.join();
  ASSERT_TRUE(relay.reserve());
  EXPECT_FALSE(relay.stand_by());
}

// Two threads pass the right to and fro; whoever has it changes what only a reader may touch.
TEST(Relay, NeverHasTwoReaders) {
  Relay relay;
  size_t handovers = 0;  // not atomic on purpose
  auto read_in_turns = [&](bool reading) {
    for (;;) {
      if (!reading && !relay.stand_by()) return;
      if (++handovers == 50) return relay.end();
      while (relay.reserve()) {  // until the other one has reserved the place
        relay.give_back();
        std::this_thread::yield();
      }
      bool mine = true;
      for (int i = 0; mine && i < 10; ++i)
        mine = relay.reclaim(relay.offer());  // short, unless the machine is busy
      const Relay::Turn turn = mine ? relay.offer() : 0;
      while (!relay.reserve()) std::this_thread::yield();  // free once the other one has taken over
      EXPECT_FALSE(mine && relay.reclaim(turn));
      reading = false;
    }
  };
  ASSERT_TRUE(relay.reserve());
  std::thread other(read_in_turns, false);
  read_in_turns(true);
  other.join();
  EXPECT_EQ(handovers, 50u);
}

}  // namespace
}  // namespace helve::mcp
