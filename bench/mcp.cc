// Measures MCP servers over stdio, all in the same way: start to first tools/list, round trips of
// one small call, pipelined calls, memory. Prints one line of numbers: start_ms p50_us p99_us
// calls_per_s rss_kb.
//   bench_mcp CALLS ARGUMENTS TOOL -- SERVER ARGS…
//   bench_mcp --round-trips CALLS ARGUMENTS TOOL -- SERVER ARGS…
// Client and server share one core, so that a round trip measures work and not how cores wake each
// other. With --round-trips, for calls that start processes, all cores are free and only p50_us,
// p99_us and rss_kb are measured.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

double micros(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_mcp: %s\n", what.c_str());
  std::exit(1);
}

// With memchr, for the client shares its core with the server: what it takes is missing there.
size_t count_lines(std::string_view text) {
  size_t count = 0;
  for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) ++count;
  return count;
}

class Server {
 public:
  explicit Server(char** argv) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) fail("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&pid_, argv[0], &actions, nullptr, argv, environ))
      fail(std::string("cannot start ") + argv[0]);
    close(in[0]), close(out[1]);
    to_ = in[1], from_ = out[0];
  }
  ~Server() {
    close(to_);
    for (int i = 0; i < 200 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) usleep(5000);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void send(const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(to_, text.data() + done, text.size() - done);
      if (count <= 0) fail("the server went away");
      done += static_cast<size_t>(count);
    }
  }
  // The next line that answers a request; notifications are passed over.
  std::string receive() {
    for (;;) {
      if (const size_t end = buffer_.find('\n', start_); end != buffer_.npos) {
        std::string line = buffer_.substr(start_, end - start_);
        start_ = end + 1;
        if (line.find("\"id\":") != line.npos) return line;
        continue;
      }
      buffer_.erase(0, start_);
      start_ = 0;
      read_more();
    }
  }
  std::string receive_after(const std::string& request) {
    send(request);
    return receive();
  }
  void read_more() {
    char block[256 * 1024];
    const ssize_t count = read(from_, block, sizeof block);
    if (count <= 0) fail("the server went away");
    buffer_.append(block, static_cast<size_t>(count));
  }
  // Sends everything while receiving, and returns when `answers` lines have come.
  void pump(const std::string& all, size_t answers) {
    fcntl(to_, F_SETFL, fcntl(to_, F_GETFL) | O_NONBLOCK);
    size_t sent = 0, seen = 0;
    char block[256 * 1024];
    while (seen < answers) {
      pollfd fds[2] = {{from_, POLLIN, 0},
                       {to_, static_cast<short>(sent < all.size() ? POLLOUT : 0), 0}};
      poll(fds, 2, -1);
      if (fds[1].revents & POLLOUT) {
        const ssize_t count = write(to_, all.data() + sent, all.size() - sent);
        if (count > 0) sent += static_cast<size_t>(count);
      }
      if (fds[0].revents) {
        const ssize_t count = read(from_, block, sizeof block);
        if (count <= 0) fail("the server went away");
        seen += count_lines({block, static_cast<size_t>(count)});
      }
    }
    fcntl(to_, F_SETFL, fcntl(to_, F_GETFL) & ~O_NONBLOCK);
  }
  long rss_kb() const {
    std::string path = "/proc/" + std::to_string(pid_) + "/status";
    long kb = 0;
    if (FILE* file = std::fopen(path.c_str(), "r")) {
      char line[256];
      while (std::fgets(line, sizeof line, file)) std::sscanf(line, "VmRSS: %ld", &kb);
      std::fclose(file);
    }
    return kb;
  }
  void handshake() {
    send(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
        "\n");
    receive();
    send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
         "\n");
    send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})"
         "\n");
    receive();
  }

 private:
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
  std::string buffer_;
  size_t start_ = 0;
};

struct Calls {
  size_t count;
  std::string arguments, tool;

  std::string request(size_t id) const {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":)" + arguments +
           "}}\n";
  }
};

double start_ms(char** command) {
  std::vector<double> starts;
  for (int i = 0; i < 7; ++i) {
    const auto begin = Clock::now();
    Server server(command);
    server.handshake();
    starts.push_back(micros(Clock::now() - begin) / 1000);
  }
  std::sort(starts.begin(), starts.end());
  return starts[starts.size() / 2];
}

// Microseconds of each, sorted, after a warm-up.
std::vector<double> round_trips(Server& server, const Calls& calls) {
  server.handshake();
  if (const std::string first = server.receive_after(calls.request(2));
      first.find("\"error\"") != first.npos || first.find("\"isError\":true") != first.npos)
    fail("the call fails: " + first.substr(0, 300));
  for (size_t i = 0; i < calls.count / 5; ++i) server.send(calls.request(10 + i)), server.receive();
  std::vector<double> times;
  times.reserve(calls.count);
  for (size_t i = 0; i < calls.count; ++i) {
    const std::string text = calls.request(100'000 + i);
    const auto begin = Clock::now();
    server.send(text);
    server.receive();
    times.push_back(micros(Clock::now() - begin));
  }
  std::sort(times.begin(), times.end());
  return times;
}

double calls_per_second(Server& server, const Calls& calls) {
  std::vector<double> rates;
  for (size_t round = 1; round <= 3; ++round) {
    std::string all;
    for (size_t i = 0; i < calls.count; ++i) all += calls.request(1'000'000 * round + i);
    const auto begin = Clock::now();
    server.pump(all, calls.count);
    rates.push_back(static_cast<double>(calls.count) / (micros(Clock::now() - begin) / 1e6));
  }
  std::sort(rates.begin(), rates.end());
  return rates[1];
}

void use_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_brief = argc > 1 && std::string_view(argv[1]) == "--round-trips";
  if (is_brief) ++argv, --argc;
  if (argc < 6 || std::string_view(argv[4]) != "--")
    fail("usage: bench_mcp [--round-trips] CALLS ARGUMENTS TOOL -- SERVER ARGS…");
  const Calls calls{std::strtoul(argv[1], nullptr, 10), argv[2], argv[3]};
  char** const command = argv + 5;
  if (!is_brief) use_one_core();
  const double start = is_brief ? 0 : start_ms(command);

  Server server(command);
  const std::vector<double> times = round_trips(server, calls);
  const double p50 = times[times.size() / 2], p99 = times[times.size() * 99 / 100];
  if (is_brief)
    std::printf("%.2f %.2f %ld\n", p50, p99, server.rss_kb());
  else {
    const double rate = calls_per_second(server, calls);
    std::printf("%.3f %.2f %.2f %.0f %ld\n", start, p50, p99, rate, server.rss_kb());
  }
}
