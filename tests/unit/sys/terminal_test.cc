#include "sys/terminal.h"

#include <termios.h>

#include "unit/person.h"

namespace helve::sys {
namespace {

constexpr const char* kEndOfInput = "\x04";

// The settings of a person's terminal.
class Mode {
 public:
  explicit Mode(const Person& person)
      : descriptor_(open(person.terminal().c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)) {}
  ~Mode() { close(descriptor_); }
  Mode(const Mode&) = delete;

  void make_raw() const {
    termios settings = now();
    cfmakeraw(&settings);
    EXPECT_EQ(tcsetattr(descriptor_, TCSANOW, &settings), 0);
  }
  bool is_raw() const {
    const termios settings = now();
    return (settings.c_lflag & (ICANON | ECHO | ISIG)) == 0 && (settings.c_iflag & ICRNL) == 0 &&
           (settings.c_oflag & OPOST) == 0;
  }

 private:
  termios now() const {
    termios settings{};
    EXPECT_EQ(tcgetattr(descriptor_, &settings), 0);
    return settings;
  }
  int descriptor_;
};

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

TEST(Terminal, ARawTerminalIsAskedOnAndStaysRaw) {
  for (const char* answer : {"yes\r", "yes\n"}) {
    Person person("well? ", answer);
    const Mode mode(person);
    mode.make_raw();
    EXPECT_EQ(*Terminal::open(person.terminal())->ask("well? ", {}), "yes");
    EXPECT_TRUE(mode.is_raw());
  }
}

TEST(Terminal, ARawTerminalStaysRawWhenTheQuestionIsStopped) {
  std::stop_source stop;
  Person person("well? ", "", [&] { stop.request_stop(); });
  const Mode mode(person);
  mode.make_raw();
  EXPECT_FALSE(Terminal::open(person.terminal())->ask("well? ", stop.get_token()));
  EXPECT_TRUE(mode.is_raw());
}

TEST(Terminal, ATerminalThatGoesAwayIsNoAnswer) {
  Person person("well? ", "", [&] { person.leave(); });
  const Result<std::string> answer = Terminal::open(person.terminal())->ask("well? ", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_EQ(answer.error().message, "the terminal went away");
}

TEST(Terminal, WhatIsNoTerminalCannotBeAskedOn) {
  EXPECT_EQ(Terminal::open("/dev/null").error().code, Code::unavailable);
  EXPECT_EQ(Terminal::open("").error().code, Code::unavailable);
}

}  // namespace
}  // namespace helve::sys
