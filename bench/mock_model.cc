// A model that answers at once, for measuring agents: OpenAI Chat Completions, OpenAI Responses and
// Anthropic Messages, streamed, on loopback. One thread with epoll, so that thousands of agents
// may wait for it. Prints its port; ends when its standard input ends, and writes the log then:
// one line per request, times by CLOCK_MONOTONIC in ns.
//   bench_mock_model --log FILE [--turns N] [--tool NAME] [--arguments JSON] [--expect TEXT]
//                    [--delay-ms N] [--debug]
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mock_http.h"
#include "mock_script.h"

namespace {

constexpr size_t kMaxRequest = 64u << 20;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_mock_model: %s\n", what.c_str());
  std::exit(1);
}

int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct Options {
  Script script;
  std::string log;
  int64_t delay_ns = 0;
  bool debug = false;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--debug") {
      options.debug = true;
      continue;
    }
    if (++i == argc) fail(std::string(flag) + " needs a value");
    const std::string value = argv[i];
    if (flag == "--log")
      options.log = value;
    else if (flag == "--turns")
      options.script.turns = std::strtoul(value.c_str(), nullptr, 10);
    else if (flag == "--tool")
      options.script.tool = value;
    else if (flag == "--arguments")
      options.script.arguments = value;
    else if (flag == "--expect")
      options.script.expected = value;
    else if (flag == "--delay-ms")
      options.delay_ns = std::strtol(value.c_str(), nullptr, 10) * 1'000'000;
    else
      fail("no flag " + std::string(flag));
  }
  if (options.log.empty()) fail("--log FILE is missing");
  return options;
}

struct Connection {
  int fd = -1;
  int64_t accepted_ns = 0;
  std::string received;
};

struct Reply {  // waits until it is due
  int64_t due_ns = 0;
  uint64_t connection = 0;
  std::string bytes;
  size_t record = 0;
};

struct Record {
  uint64_t connection = 0;
  int64_t accepted_ns = 0, read_ns = 0, finished_ns = 0;
  std::string path;
  bool is_main = false, is_expected = true;
  size_t results = 0, bytes = 0;
};

class Server {
 public:
  explicit Server(Options options) : options_(std::move(options)) {}

  void run();

 private:
  void listen_on_loopback();
  void watch(int fd, uint64_t id);
  void accept_all();
  void receive(uint64_t id);
  bool take_request(uint64_t id, Connection& connection);
  std::string reply_to(std::string_view method, std::string_view path, std::string_view body,
                       Record& record);
  void send_due();
  void drop(uint64_t id);
  void write_log() const;

  static constexpr uint64_t kInput = 0, kListener = 1;
  Options options_;
  int epoll_ = -1, listener_ = -1;
  uint64_t next_id_ = 2;
  std::unordered_map<uint64_t, Connection> connections_;
  std::deque<Reply> waiting_;  // all wait equally long, so the first is due first
  std::deque<Record> records_;
  std::vector<char> block_ = std::vector<char>(256 * 1024);
};

void Server::listen_on_loopback() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) || listen(listener_, 16'384) ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size))
    fail("cannot listen on loopback");
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
}

void Server::watch(int fd, uint64_t id) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = id}};
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl failed; is the input a pipe?");
}

void Server::accept_all() {
  for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const uint64_t id = next_id_++;
    connections_[id] = {fd, now_ns(), {}};
    watch(fd, id);
  }
  if (errno == EMFILE || errno == ENFILE) fail("too many connections: raise ulimit -n");
}

void Server::drop(uint64_t id) {
  close(connections_[id].fd);
  connections_.erase(id);
}

void Server::receive(uint64_t id) {
  Connection& connection = connections_[id];
  const ssize_t count = recv(connection.fd, block_.data(), block_.size(), 0);
  if (count <= 0) {
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) drop(id);
    return;
  }
  connection.received.append(block_.data(), static_cast<size_t>(count));
  while (take_request(id, connection)) {
  }
}

bool Server::take_request(uint64_t id, Connection& connection) {
  const std::string_view received = connection.received;
  const size_t head_end = received.find("\r\n\r\n");
  if (head_end == received.npos) return false;
  const std::string_view head = received.substr(0, head_end);
  const size_t length =
      std::strtoul(std::string(header(head, "content-length")).c_str(), nullptr, 10);
  if (length > kMaxRequest || !header(head, "transfer-encoding").empty() ||
      !header(head, "content-encoding").empty())
    fail("a request that is too long, chunked or compressed: " + std::string(head));
  const size_t total = head_end + 4 + length;
  if (received.size() < total) return false;

  Record record{.connection = id, .accepted_ns = connection.accepted_ns, .read_ns = now_ns()};
  record.bytes = total;
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t first = std::min(line.find(' '), line.size() - 1);
  const std::string_view target = line.substr(first + 1, line.find(' ', first + 1) - first - 1);
  std::string bytes = reply_to(line.substr(0, first), target.substr(0, target.find('?')),
                               received.substr(head_end + 4, length), record);
  records_.push_back(std::move(record));
  waiting_.push_back(
      {records_.back().read_ns + options_.delay_ns, id, std::move(bytes), records_.size() - 1});
  connection.received.erase(0, total);
  return true;
}

std::string Server::reply_to(std::string_view method, std::string_view path, std::string_view body,
                             Record& record) {
  constexpr std::string_view kJson = "application/json";
  record.path = path;
  const Asked asked = inspect(path, body, options_.script);
  record.is_main = asked.is_main;
  record.results = asked.results;
  record.is_expected = asked.is_expected;
  if (options_.debug) {
    std::string tools;
    for (const std::string& tool : asked.tools) tools += " " + tool;
    std::fprintf(stderr, "%.*s %.*s %zu bytes, %zu results, tools:%s\n%s\n",
                 static_cast<int>(method.size()), method.data(), static_cast<int>(path.size()),
                 path.data(), body.size(), asked.results, tools.c_str(), asked.last_result.c_str());
  }
  if (asked.dialect != Dialect::none) {
    const Answer said = answer(asked, options_.script);
    return response("200 OK", said.type, said.body);
  }
  if (method == "HEAD") return response("200 OK", kJson, "");
  if (path.ends_with("/count_tokens")) return response("200 OK", kJson, R"({"input_tokens":100})");
  if (path.ends_with("/models"))
    return response("200 OK", kJson,
                    R"({"object":"list","data":[{"id":"mock","object":"model"}],"models":[]})");
  return response("404 Not Found", kJson, R"({"error":{"message":"the mock has no such path"}})");
}

void Server::send_due() {
  while (!waiting_.empty() && waiting_.front().due_ns <= now_ns()) {
    const Reply reply = std::move(waiting_.front());
    waiting_.pop_front();
    const auto found = connections_.find(reply.connection);
    if (found == connections_.end()) continue;  // it did not wait
    // Before sending: whoever waits for the answer may run, and ask again, before send returns.
    records_[reply.record].finished_ns = now_ns();
    const ssize_t sent =
        send(found->second.fd, reply.bytes.data(), reply.bytes.size(), MSG_NOSIGNAL);
    // An answer fits into the buffer of the socket, which is empty when a request comes.
    if (sent != static_cast<ssize_t>(reply.bytes.size())) drop(reply.connection);
  }
}

void Server::write_log() const {
  std::FILE* file = std::fopen(options_.log.c_str(), "we");
  if (!file) fail("cannot write " + options_.log);
  for (const Record& record : records_) {
    std::string path;
    helve::append_json_string(path, record.path);
    std::fprintf(file,
                 R"({"connection":%lu,"accepted_ns":%ld,"read_ns":%ld,"finished_ns":%ld,"path":%s,)"
                 R"("main":%s,"results":%zu,"expected":%s,"bytes":%zu})"
                 "\n",
                 record.connection, record.accepted_ns, record.read_ns, record.finished_ns,
                 path.c_str(), record.is_main ? "true" : "false", record.results,
                 record.is_expected ? "true" : "false", record.bytes);
  }
  if (std::fclose(file)) fail("cannot write " + options_.log);
}

void Server::run() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  listen_on_loopback();
  watch(0, kInput);
  watch(listener_, kListener);
  for (bool goes_on = true; goes_on;) {
    int wait_ms = -1;
    if (!waiting_.empty())
      wait_ms = static_cast<int>(
          std::max<int64_t>(0, (waiting_.front().due_ns - now_ns() + 999'999) / 1'000'000));
    epoll_event events[256];
    const int count = epoll_wait(epoll_, events, std::size(events), wait_ms);
    for (int i = 0; i < count; ++i) {
      const uint64_t id = events[i].data.u64;
      if (id == kListener) {
        accept_all();
      } else if (id == kInput) {
        char ignored[256];
        goes_on = read(0, ignored, sizeof ignored) > 0;
      } else if (connections_.contains(id)) {
        receive(id);
      }
      send_due();
    }
    send_due();
  }
  write_log();
}

}  // namespace

int main(int argc, char** argv) {
  rlimit files;
  if (!getrlimit(RLIMIT_NOFILE, &files)) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  Server(parse_options(argc, argv)).run();
}
