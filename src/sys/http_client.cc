#include <cstdlib>
#include <initializer_list>

#include "sys/http_curl.h"
#include "sys/http_plain.h"

namespace helve::sys {
namespace {

bool has_proxy() {
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    if (const char* value = std::getenv(name); value && *value) return true;
  }
  return false;
}

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

class AnyHttp final : public HttpClient {
 public:
  Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                        std::stop_token stop) override {
    const HttpAddress address = TRY(parse_http_address(request.url));
    const bool is_plain = !address.is_encrypted && (!has_proxy_ || is_this_machine(address.host));
    HttpClient& client = is_plain ? static_cast<HttpClient&>(plain_) : curl_;
    return client.send(request, on_body, std::move(stop));
  }

 private:
  const bool has_proxy_ = has_proxy();
  PlainHttp plain_;
  CurlHttp curl_;
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client() { return std::make_unique<AnyHttp>(); }

}  // namespace helve::sys
