// PlainHttp: HTTP/1.1 over plain connections, which are kept and used again.
#pragma once

#include <mutex>

#include "sys/file_descriptor.h"
#include "sys/http.h"

namespace helve::sys {

// The parts of an http:// or https:// address. Error: it is none.
struct HttpAddress {
  bool is_encrypted = false;
  std::string host;  // without brackets
  std::string port;
  std::string path;  // with the query, without the fragment; "/" at least

  std::string authority() const;  // "host", "host:8080", "[::1]:80": as a server wants it
};
Result<HttpAddress> parse_http_address(std::string_view url);

class PlainHttp final : public HttpClient {
 public:
  static constexpr size_t kMaxIdle = 32;                   // connections
  static constexpr std::chrono::seconds kMaxIdleTime{30};  // servers close them after a while, too

  Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                        std::stop_token stop) override;

 private:
  struct Idle {
    Fd socket;
    std::string authority;
    std::chrono::steady_clock::time_point since;
  };
  Fd take_idle(const std::string& authority);
  void keep(Fd socket, std::string authority);

  std::mutex mutex_;
  std::vector<Idle> idle_;  // guarded by mutex_; the last one used is at the end
};

}  // namespace helve::sys
