// The server when memory runs out.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "unit/mcp/wire.h"

namespace helve::mcp::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers reserve far more memory than there is
#else
constexpr bool kSanitized = false;
#endif

constexpr size_t kMegabyte = 1u << 20;

void allow_only(size_t more_bytes) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<size_t>(getpagesize()) + more_bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

// Runs `work` in a forked process that may take `more_bytes` of memory. True: all was well.
template <class Work>
bool succeeds_within(size_t more_bytes, Work work) {
  const pid_t child = fork();
  if (child == 0) {
    allow_only(more_bytes);
    work();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Memory, OfManyLargeMessagesIsThatOfOne) {
  World world;
  Talk talk(world);
  talk.initialize();
  const std::string params = fmt::format(R"({{"_meta":{{"x":"{}"}}}})", std::string(20'000, 'x'));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(talk.error_code(request("1", "ping", params)), 0) << i;
}

TEST(Memory, ThatIsMissingForAMessageIsSaidAndTheNextOneIsAnswered) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more memory than the limit";
  EXPECT_TRUE(succeeds_within(64 * kMegabyte, [] {
    World world;
    Wire wire(world);
    wire.initialize();
    const std::string piece(kMegabyte, 'x');
    for (int i = 0; i < 60; ++i) wire.send(piece);
    wire.send_line("");
    const Json refusal = wire.read_json();
    EXPECT_EQ(at(refusal, "error/code"), -32603);
    EXPECT_EQ(at(refusal, "error/message"),
              "there is not enough memory for a message of this length");
    EXPECT_EQ(at(json(wire.ask(request("1", "ping"))), "id"), 1);
  }));
}

TEST(Memory, ThatIsMissingForAValueIsSaidAndTheNextOneIsAnswered) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more memory than the limit";
  EXPECT_TRUE(succeeds_within(96 * kMegabyte, [] {
    World world;
    Wire wire(world);
    wire.initialize();
    // Short as text, large as a value.
    wire.send(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":[0)");
    std::string piece;
    while (piece.size() < kMegabyte) piece += ",0";
    for (int i = 0; i < 14; ++i) wire.send(piece);
    wire.send_line("]}}");
    EXPECT_NE(at(wire.read_json(), "error/message"), nullptr);
    EXPECT_EQ(at(json(wire.ask(request("1", "ping"))), "id"), 1);
  }));
}

}  // namespace
}  // namespace helve::mcp::testing
