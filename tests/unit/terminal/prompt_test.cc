#include "terminal/prompt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "sys/stream.h"
#include "sys/terminal.h"

namespace helve::terminal {
namespace {

using Kind = Edited::Kind;

std::string drained(int descriptor) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::string out;
  char block[4096];
  for (ssize_t count; (count = read(descriptor, block, sizeof block)) > 0;)
    out.append(block, static_cast<size_t>(count));
  return out;
}

TEST(Prompt, ReadsLinesWhereThereIsNoTerminal) {
  sys::Pipe in = sys::make_pipe().value();
  sys::Pipe out = sys::make_pipe().value();
  ASSERT_TRUE(sys::write_all(in.write.get(), "one\r\ntwo \\\nmore\n\nlast"));
  in.write = {};
  Prompt prompt = Prompt::open({.input = in.read.get(),
                                .output = out.write.get(),
                                .editor = {.prompt = "\x1b[1m> \x1b[0m"}});
  EXPECT_EQ(prompt.editor(), nullptr);
  for (const std::string_view expected : {"one", "two \nmore", "last"}) {
    const auto edited = prompt.read({});
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->kind, Kind::submitted);
    EXPECT_EQ(edited->text, expected);
  }
  EXPECT_EQ(prompt.read({})->kind, Kind::ended);
  EXPECT_EQ(prompt.read({})->kind, Kind::ended);
  EXPECT_EQ(drained(out.read.get()), "> > > > ");
}

// Both ends of a terminal.
struct Pty {
  Pty() : master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(grantpt(master.get()), 0);
    EXPECT_EQ(unlockpt(master.get()), 0);
    slave = sys::Fd(::open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  bool is_raw() const {
    termios now{};
    EXPECT_EQ(tcgetattr(slave.get(), &now), 0);
    return (now.c_lflag & ICANON) == 0;
  }
  sys::Fd master;
  sys::Fd slave;
};

TEST(Prompt, EditsOnATerminalAndLeavesItAsItWas) {
  Pty pty;
  {
    Prompt prompt = Prompt::open({.input = pty.slave.get(), .output = pty.slave.get()});
    ASSERT_NE(prompt.editor(), nullptr);
    EXPECT_TRUE(pty.is_raw());
    ASSERT_TRUE(sys::write_all(pty.master.get(), "helo\x1b[Dl\r"));
    const auto edited = prompt.read({});
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->text, "hello");
    ASSERT_TRUE(sys::write_all(pty.master.get(), "\x03"));
    EXPECT_EQ(prompt.read({})->kind, Kind::interrupted);
  }
  EXPECT_FALSE(pty.is_raw());
  EXPECT_TRUE(drained(pty.master.get()).ends_with("\x1b[?2004l"));
}

TEST(Prompt, EndsWhenAStopIsRequestedOrTheTerminalGoesAway) {
  Pty pty;
  Prompt prompt = Prompt::open({.input = pty.slave.get(), .output = pty.slave.get()});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(prompt.read(stop.get_token()).error().code, Code::cancelled);
  Prompt plain =
      Prompt::open({.input = pty.slave.get(), .output = pty.slave.get(), .is_dumb = true});
  EXPECT_EQ(plain.read(stop.get_token()).error().code, Code::cancelled);
  pty.master = {};
  EXPECT_EQ(prompt.read({}).error().code, Code::unavailable);
}

TEST(Prompt, IsPlainOnADumbTerminal) {
  Pty pty;
  Prompt prompt =
      Prompt::open({.input = pty.slave.get(), .output = pty.slave.get(), .is_dumb = true});
  EXPECT_EQ(prompt.editor(), nullptr);
  EXPECT_FALSE(pty.is_raw());
  ASSERT_TRUE(sys::write_all(pty.master.get(), "line\n"));
  EXPECT_EQ(prompt.read({})->text, "line");
}

TEST(Prompt, RestoresTheTerminalFromElsewhere) {
  Pty pty;
  Prompt prompt = Prompt::open({.input = pty.slave.get(), .output = pty.slave.get()});
  prompt.terminal()->restore();
  EXPECT_FALSE(pty.is_raw());
}

}  // namespace
}  // namespace helve::terminal
