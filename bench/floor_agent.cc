// The floor of an agent: the least that one can do. It sends the conversation, reads the answer as
// it streams, reads the file that it is asked to read and sends the conversation again; no
// sessions, no policy, no other tools, no other provider.
//   bench_floor_agent PORT PROMPT
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace {

using helve::Json;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench_floor_agent: %s\n", what);
  std::exit(1);
}

int connect_to(const char* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address)) fail("cannot connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// The bytes of the answer with the frames of its chunks, which no line of data looks like.
std::string ask_model(int fd, const std::string& messages) {
  const std::string body =
      R"({"model":"mock","stream":true,"tools":[{"type":"function","function":{"name":"read",)"
      R"("description":"Reads a file.","parameters":{"type":"object","properties":{"path":)"
      R"({"type":"string"}},"required":["path"]}}}],"messages":[)" +
      messages + "]}";
  const std::string request =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t done = 0; done < request.size();) {
    const ssize_t sent = send(fd, request.data() + done, request.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) fail("the model does not listen");
    done += static_cast<size_t>(sent);
  }
  std::string answer;
  char block[16 * 1024];
  while (!answer.ends_with("\r\n0\r\n\r\n")) {
    const ssize_t count = recv(fd, block, sizeof block, 0);
    if (count <= 0) fail("the model has hung up");
    answer.append(block, static_cast<size_t>(count));
  }
  return answer;
}

std::string read_file(const std::string& path) {
  char buffer[64 * 1024];
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = fd < 0 ? -1 : read(fd, buffer, sizeof buffer);
  if (fd >= 0) close(fd);
  if (count < 0) fail("cannot read the file");
  return {buffer, static_cast<size_t>(count)};
}

// What to append to the conversation when a chunk calls the tool; otherwise nothing, and a text is
// printed.
std::string run_call(std::string_view data) {
  const helve::Result<Json> chunk = helve::parse_json(data);
  if (!chunk) return {};
  const helve::JsonArray& choices = chunk->at("choices").as_array();
  if (choices.empty()) return {};
  const Json& delta = choices[0].at("delta");
  const Json* calls = helve::find(delta, "tool_calls");
  if (!calls) {
    std::printf("%s", std::string(helve::string_at(delta, "content")).c_str());
    return {};
  }
  const Json& function = calls->at(0).at("function");
  const helve::Result<Json> arguments = helve::parse_json(helve::string_at(function, "arguments"));
  if (!arguments) fail("arguments that are no JSON");
  const std::string id = helve::to_text(calls->at(0).at("id"));
  std::string out = R"(,{"role":"assistant","content":null,"tool_calls":)";
  helve::append_json(out, *calls);
  out += R"(},{"role":"tool","tool_call_id":)" + id + R"(,"content":)";
  helve::append_json_string(out, read_file(std::string(helve::string_at(*arguments, "path"))));
  return out + "}";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: bench_floor_agent PORT PROMPT");
  const int fd = connect_to(argv[1]);
  std::string messages = R"({"role":"user","content":)";
  helve::append_json_string(messages, argv[2]);
  messages += "}";
  for (std::string more = "first"; !more.empty();) {
    const std::string answer = ask_model(fd, messages);
    more.clear();
    for (size_t at = 0; (at = answer.find("data: {", at)) != answer.npos; ++at) {
      const size_t begin = at + 6;
      more += run_call(std::string_view(answer).substr(begin, answer.find('\n', begin) - begin));
    }
    messages += more;
  }
}
