// CurlHttp: requests through libcurl, which is loaded with the first one.
#pragma once

#include <memory>
#include <mutex>

#include "sys/http.h"

namespace helve::sys {

class CurlHttp final : public HttpClient {
 public:
  static constexpr size_t kMaxIdle = 8;  // handles, each with its connections

  CurlHttp();
  ~CurlHttp() override;
  CurlHttp(const CurlHttp&) = delete;

  // Error of the type no_curl: the library is not installed.
  Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                        std::stop_token stop) override;

 private:
  struct Library;
  struct Handle;
  class Transfer;
  Result<const Library*> library();
  Result<std::unique_ptr<Handle>> take_idle(const Library& library);

  std::mutex mutex_;
  std::unique_ptr<Library> library_;           // guarded by mutex_; null until it is needed
  std::vector<std::unique_ptr<Handle>> idle_;  // guarded by mutex_
};

}  // namespace helve::sys
