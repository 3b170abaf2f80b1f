#include "mock_http.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

std::string_view header(std::string_view head, std::string_view name) {
  for (size_t at = 0; (at = head.find("\r\n", at)) != head.npos;) {
    at += 2;
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        std::ranges::equal(line.substr(0, name.size()), name,
                           [](char a, char b) { return (a | 0x20) == (b | 0x20); }))
      return helve::trim(line.substr(name.size() + 1));
  }
  return {};
}

std::string response(std::string_view status, std::string_view type, std::string_view body) {
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: ").append(type);
  if (type != "text/event-stream") {
    out.append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
    return out.append(body);
  }
  out += "\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (size_t end; !body.empty(); body.remove_prefix(end)) {
    end = std::min(body.find("\n\n"), body.size() - 2) + 2;
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", end);
    out.append(size).append(body.substr(0, end)).append("\r\n");
  }
  return out + "0\r\n\r\n";
}
