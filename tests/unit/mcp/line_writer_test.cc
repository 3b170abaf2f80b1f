#include "mcp/line_writer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/stream.h"

namespace helve::mcp {
namespace {

using When = LineWriter::When;

// Each write arrives as one packet, so that writes can be told apart.
std::pair<sys::Fd, sys::Fd> make_sockets() {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  sys::ignore_broken_pipes();
  return {sys::Fd(ends[0]), sys::Fd(ends[1])};
}

struct LineWriterTest : ::testing::Test {
  explicit LineWriterTest(std::pair<sys::Fd, sys::Fd> ends = make_sockets())
      : ours(std::move(ends.first)), theirs(std::move(ends.second)) {}

  std::vector<std::string> written() {
    std::vector<std::string> packets;
    std::string packet(1 << 20, 0);
    for (ssize_t size;
         (size = recv(theirs.get(), packet.data(), packet.size(), MSG_DONTWAIT)) > 0;) {
      packets.push_back(packet.substr(0, static_cast<size_t>(size)));
    }
    return packets;
  }

  using Packets = std::vector<std::string>;
  sys::Fd ours, theirs;
  int broken = 0;
  LineWriter writer{ours.get(), [this] { ++broken; }};
};

TEST_F(LineWriterTest, WritesAtOnceWhenTold) {
  writer.put("a\n", When::now);
  writer.put("b\n", When::now);
  EXPECT_EQ(written(), (Packets{"a\n", "b\n"}));
}

TEST_F(LineWriterTest, LeavesOutWhatNobodyReadsAndEndsALineThatWasBegun) {
  sys::Pipe pipe = sys::make_pipe().value();
  LineWriter to_pipe(pipe.write.get(), [] {});
  std::string line(5001, 'x');
  line.back() = '\n';
  size_t put = 0;
  while (to_pipe.put_if_free(line)) ++put;
  ASSERT_GT(put, 0u);
  EXPECT_FALSE(to_pipe.put_if_free(line));
  std::string all;
  std::string buffer(1 << 20, 0);
  const auto read_more = [&] {
    const sys::ReadOutcome read = sys::read_some(pipe.read.get(), buffer.data(), buffer.size());
    all.append(buffer, 0, read.bytes);
  };
  read_more();
  to_pipe.put("end\n", When::now);
  while (!all.ends_with("end\n")) read_more();
  EXPECT_EQ(all.size(), put * line.size() + 4);
}

TEST_F(LineWriterTest, GathersUntilFlushed) {
  writer.put("a\n", When::later);
  writer.put("b\n", When::later);
  EXPECT_EQ(written(), Packets{});
  writer.flush();
  writer.flush();
  EXPECT_EQ(written(), (Packets{"a\nb\n"}));
}

TEST_F(LineWriterTest, KeepsTheOrderOfWhatItGathered) {
  writer.put("a\n", When::later);
  writer.put("b\n", When::now);
  EXPECT_EQ(written(), (Packets{"a\nb\n"}));
}

TEST_F(LineWriterTest, DoesNotGatherEndlessly) {
  std::string line(1024, 'x');
  line.back() = '\n';
  for (int i = 0; i < 70; ++i) writer.put(line, When::later);
  const Packets packets = written();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].size(), 64u << 10);
}

TEST_F(LineWriterTest, TellsOnceThatTheOtherSideIsGone) {
  theirs = sys::Fd();
  writer.put("a\n", When::now);
  writer.put("b\n", When::now);
  writer.put("c\n", When::later);
  writer.flush_if_free();
  EXPECT_EQ(broken, 1);
}

}  // namespace
}  // namespace helve::mcp
