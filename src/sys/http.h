// HttpClient: requests to servers, with bodies that are handed on as they come. Plain connections
// are our own; encrypted ones, and those through a proxy, are libcurl's, which is loaded when the
// first one is made: it costs more memory and time than the rest of a start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace helve::sys {

struct HttpRequest {
  std::string method = "GET";
  std::string url;                        // http:// or https://
  std::vector<std::string> headers = {};  // "Name: value", but for Host and the body's length
  std::string_view body = {};
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds idle_timeout{300'000};  // in which not a byte goes either way
  std::chrono::milliseconds total_timeout{0};       // 0: none
};

struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters

  // Empty when there is none of this name, which is in small letters.
  std::string_view header(std::string_view name) const;
};

// Thread-safe: any number of requests at once.
class HttpClient {
 public:
  // Some of the body; false: the rest is not wanted, and send() returns.
  using OnBody = std::function<bool(const HttpHead& head, std::string_view bytes)>;

  virtual ~HttpClient() = default;
  // Returns when the whole answer has come, whatever its status. A redirection is an answer like
  // any other. Codes of errors: `network`, with the type connection_lost when the other side went
  // away in the middle; `timeout`; `cancelled` soon after a stop was requested. No error tells what
  // the headers or the body of the request say.
  virtual Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                                std::stop_token stop) = 0;
};

constexpr std::string_view kConnectionLost = "connection_lost";

// The client for everybody. Proxies are those of the environment, as curl knows them (http_proxy,
// https_proxy, all_proxy, no_proxy).
std::unique_ptr<HttpClient> make_http_client();

}  // namespace helve::sys
