#include "sys/terminal.h"

#include "unit/person.h"

namespace helve::sys {
namespace {

constexpr const char* kEndOfInput = "\x04";

TEST(Terminal, AsksAndReturnsTheLine) {
  Person person("well? ", "yes, please\n");
  EXPECT_EQ(*Terminal::open(person.terminal())->ask("well? ", {}), "yes, please");
}

TEST(Terminal, AnEndOfInputIsAnEmptyAnswer) {
  Person person("well? ", kEndOfInput);
  EXPECT_EQ(*Terminal::open(person.terminal())->ask("well? ", {}), "");
}

TEST(Terminal, AStopEndsTheQuestion) {
  std::stop_source stop;
  Person person("well? ", "half an ans", [&] { stop.request_stop(); });
  EXPECT_EQ(Terminal::open(person.terminal())->ask("well? ", stop.get_token()).error().code,
            Code::cancelled);
}

TEST(Terminal, WhatIsNoTerminalCannotBeAskedOn) {
  EXPECT_EQ(Terminal::open("/dev/null").error().code, Code::unavailable);
  EXPECT_EQ(Terminal::open("").error().code, Code::unavailable);
}

}  // namespace
}  // namespace helve::sys
