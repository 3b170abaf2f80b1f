#include "unit/mcp/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace helve::mcp::testing {
namespace {

constexpr int kInputBytes = 1 << 20;
constexpr int kLongestWait = 60'000;  // ms; only a failing test waits as long

std::pair<sys::Fd, sys::Fd> make_pipe() {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  return {sys::Fd(ends[0]), sys::Fd(ends[1])};
}

}  // namespace

Wire::Wire(World& world, StdioOptions options) {
  std::tie(server_in_, to_server_) = make_pipe();
  // A test must not be held up by a server that is held up by the test.
  fcntl(to_server_.get(), F_SETPIPE_SZ, kInputBytes);
  std::tie(from_server_, server_out_) = make_pipe();
  Result<Stdio> stdio =
      Stdio::make(world.server, {.session = "s_1"}, server_in_.get(), server_out_.get(), options);
  stdio_.emplace(std::move(*stdio));
  thread_ = std::thread([this] {
    Result<Served> served = stdio_->serve();
    EXPECT_TRUE(served.has_value());
    if (served) served_ = *served;
  });
}

Wire::~Wire() {
  close_input();
  if (thread_.joinable()) join();
}

void Wire::send(std::string_view bytes) { EXPECT_TRUE(sys::write_all(to_server_.get(), bytes)); }

std::string Wire::read_line() {
  for (;;) {
    if (const size_t end = buffer_.find('\n'); end != buffer_.npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{from_server_.get(), POLLIN, 0};
    if (poll(&waiting, 1, kLongestWait) <= 0) {
      ADD_FAILURE() << "no answer came";
      return {};
    }
    char bytes[65536];
    const ssize_t count = read(from_server_.get(), bytes, sizeof bytes);
    if (count <= 0) {
      EXPECT_EQ(buffer_, "") << "an unfinished line";
      return {};
    }
    buffer_.append(bytes, static_cast<size_t>(count));
  }
}

std::string Wire::ask(std::string_view line) {
  send_line(line);
  return read_line();
}

void Wire::initialize(std::string_view version, std::string_view capabilities) {
  ask(request(
      "0", "initialize",
      fmt::format(R"({{"protocolVersion":"{}","capabilities":{}}})", version, capabilities)));
  send_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

Served Wire::join() {
  if (thread_.joinable()) thread_.join();
  if (served_.still_running == 0) server_out_ = sys::Fd();  // else it may still be written to
  return served_;
}

std::vector<std::string> Wire::rest() {
  join();
  std::vector<std::string> lines;
  for (std::string line; !(line = read_line()).empty();) lines.push_back(std::move(line));
  return lines;
}

}  // namespace helve::mcp::testing
