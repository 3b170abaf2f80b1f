// The floor: the least that a server of one tool can do. It parses a line, reads the file, answers;
// no schema, no policy, no bounds, no line numbers. What helve costs above this is what its
// promises cost.
#include <fcntl.h>
#include <unistd.h>

#include <boost/json/monotonic_resource.hpp>
#include <span>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace {

std::string_view read_file(const std::string& path, std::span<char> buffer) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = fd < 0 ? 0 : read(fd, buffer.data(), buffer.size());
  if (fd >= 0) close(fd);
  return {buffer.data(), count > 0 ? static_cast<size_t>(count) : 0};
}

void answer(std::string_view line, std::string& out) {
  unsigned char memory[16 * 1024];
  boost::json::monotonic_resource arena(memory, sizeof memory);
  helve::Result<helve::Json> message = helve::parse_json(line, {}, &arena);
  if (!message) return;
  const helve::Json* id = helve::find(*message, "id");
  if (!id) return;
  const std::string_view method = helve::string_at(*message, "method");
  out += R"({"jsonrpc":"2.0","id":)";
  helve::append_json(out, *id);
  if (method == "tools/call") {
    const helve::Json& arguments = message->at("params").at("arguments");
    out += R"(,"result":{"content":[{"type":"text","text":)";
    char buffer[64 * 1024];
    helve::append_json_string(out,
                              read_file(std::string(helve::string_at(arguments, "path")), buffer));
    out += "}]}}\n";
  } else if (method == "tools/list") {
    out += R"(,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}})"
           "\n";
  } else {
    out +=
        R"(,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}})"
        "\n";
  }
}

}  // namespace

int main() {
  std::string buffer, out;
  char block[64 * 1024];
  for (ssize_t count; (count = read(0, block, sizeof block)) > 0;) {
    buffer.append(block, static_cast<size_t>(count));
    size_t start = 0;
    out.clear();
    for (size_t end; (end = buffer.find('\n', start)) != buffer.npos; start = end + 1) {
      answer(std::string_view(buffer).substr(start, end - start), out);
    }
    // Answers that are ready together go out together: less is not possible for pipelined calls
    // either.
    for (size_t done = 0; done < out.size();) {
      const ssize_t written = write(1, out.data() + done, out.size() - done);
      if (written <= 0) return 1;
      done += static_cast<size_t>(written);
    }
    buffer.erase(0, start);
  }
}
