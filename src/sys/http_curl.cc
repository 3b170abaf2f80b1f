#include "sys/http_curl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "sys/connect.h"
#include "sys/http_reader.h"

namespace helve::sys {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr Milliseconds kLongestPoll{60'000};

Error no_curl(std::string_view why) {
  return Error{Code::unavailable, "https needs libcurl: " + std::string(why),
               "install it: apt-get install libcurl4 ca-certificates", "no_curl"};
}

}  // namespace

// The functions that we use, found by their names.
struct CurlHttp::Library {
  void* handle = nullptr;
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_wakeup) multi_wakeup;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;

  static Result<std::unique_ptr<Library>> load() {
    auto library = std::make_unique<Library>();
    // Never unloaded: threads of a resolver may still be in it.
    library->handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) return no_curl(dlerror());
    bool has_all = true;
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library->handle, name));
      has_all = has_all && function;
    };
    find(library->global_init, "curl_global_init");
    find(library->easy_init, "curl_easy_init");
    find(library->easy_reset, "curl_easy_reset");
    find(library->easy_setopt, "curl_easy_setopt");
    find(library->easy_getinfo, "curl_easy_getinfo");
    find(library->easy_strerror, "curl_easy_strerror");
    find(library->easy_cleanup, "curl_easy_cleanup");
    find(library->multi_init, "curl_multi_init");
    find(library->multi_add_handle, "curl_multi_add_handle");
    find(library->multi_remove_handle, "curl_multi_remove_handle");
    find(library->multi_perform, "curl_multi_perform");
    find(library->multi_poll, "curl_multi_poll");
    find(library->multi_wakeup, "curl_multi_wakeup");
    find(library->multi_info_read, "curl_multi_info_read");
    find(library->multi_cleanup, "curl_multi_cleanup");
    find(library->slist_append, "curl_slist_append");
    find(library->slist_free_all, "curl_slist_free_all");
    if (!has_all) return no_curl("the installed one is too old");
    if (library->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return no_curl("it does not start");
    return library;
  }
};

// A handle keeps its connections for the next request.
struct CurlHttp::Handle {
  explicit Handle(const Library& library)
      : library_(library), multi(library.multi_init()), easy(library.easy_init()) {}
  ~Handle() {
    library_.easy_cleanup(easy);
    library_.multi_cleanup(multi);
  }
  Handle(const Handle&) = delete;

 private:
  const Library& library_;

 public:
  CURLM* const multi;
  CURL* const easy;
};

// One request and its answer.
class CurlHttp::Transfer {
 public:
  Transfer(const Library& library, Handle& handle, const HttpRequest& request,
           const OnBody& on_body)
      : library_(library), handle_(handle), request_(request), on_body_(on_body) {
    // A large body is not announced first: no server of ours refuses it by its head.
    add_header("Expect:");
    for (const std::string& header : request.headers) add_header(header.c_str());
    set_up();
    library_.multi_add_handle(handle_.multi, handle_.easy);
  }
  ~Transfer() {
    library_.multi_remove_handle(handle_.multi, handle_.easy);
    library_.slist_free_all(headers_);
  }
  Transfer(const Transfer&) = delete;

  Result<HttpHead> run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { library_.multi_wakeup(handle_.multi); });
    const Steady::time_point end = Steady::now() + request_.total_timeout;
    last_ = Steady::now();
    for (int running = 1;;) {
      if (const CURLMcode code = library_.multi_perform(handle_.multi, &running); code != CURLM_OK)
        return Error{Code::internal, fmt::format("libcurl failed with {}", static_cast<int>(code))};
      if (running == 0) return outcome();
      if (stop.stop_requested())
        return Error{Code::cancelled, "stopped while waiting for " + who()};
      const Steady::time_point now = Steady::now();
      if (has_moved()) last_ = now;
      Milliseconds left = std::chrono::ceil<Milliseconds>(last_ + request_.idle_timeout - now);
      if (left.count() <= 0) return sent_nothing(who(), request_.idle_timeout);
      if (request_.total_timeout.count() > 0)
        left = std::min(left, std::chrono::ceil<Milliseconds>(end - now));
      if (left.count() <= 0) return took_too_long(who(), request_.total_timeout);
      library_.multi_poll(handle_.multi, nullptr, 0,
                          static_cast<int>(std::min(left, kLongestPoll).count()), nullptr);
    }
  }

 private:
  void add_header(const char* header) { headers_ = library_.slist_append(headers_, header); }

  template <class Value>
  void set(CURLoption option, Value value) {
    library_.easy_setopt(handle_.easy, option, value);
  }

  void set_up() {
    library_.easy_reset(handle_.easy);
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_timeout.count()));
    set(CURLOPT_HTTPHEADER, headers_);
    // The trusted authorities that the environment names, as other programs take them.
    if (const char* file = std::getenv("SSL_CERT_FILE"); file && *file) set(CURLOPT_CAINFO, file);
    if (request_.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    if (request_.method == "POST" || !request_.body.empty()) {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
      set(CURLOPT_POSTFIELDS, request_.body.data());
    }
    if (request_.method != "HEAD") set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_data);
    set(CURLOPT_WRITEDATA, this);
  }

  static size_t on_header(char* bytes, size_t, size_t count, void* self) {
    static_cast<Transfer*>(self)->take_header({bytes, count});
    return count;
  }
  static size_t on_data(char* bytes, size_t, size_t count, void* self) {
    return static_cast<Transfer*>(self)->take_body({bytes, count}) ? count : 0;
  }

  void take_header(std::string_view line) {
    line = trim(line);
    if (line.starts_with("HTTP/")) {  // also of what comes before the answer proper
      head_ = {};
      return;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos) return;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    header_bytes_ += line.size();
    if (header_bytes_ <= HttpReader::kMaxHead)
      head_.headers.emplace_back(std::move(name), trim(line.substr(colon + 1)));
  }

  bool take_body(std::string_view bytes) {
    if (head_.status == 0) head_.status = status();
    is_unwanted_ = !on_body_(head_, bytes);
    return !is_unwanted_;
  }

  int status() const {
    long code = 0;
    library_.easy_getinfo(handle_.easy, CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }

  bool has_moved() {
    curl_off_t up = 0, down = 0;
    library_.easy_getinfo(handle_.easy, CURLINFO_SIZE_UPLOAD_T, &up);
    library_.easy_getinfo(handle_.easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
    const curl_off_t before =
        std::exchange(moved_, up + down + static_cast<curl_off_t>(header_bytes_));
    return before != moved_;
  }

  // Never the path: nobody knows what is in it.
  std::string who() const {
    const size_t start = request_.url.find("//");
    const std::string_view rest = std::string_view(request_.url).substr(start + 2);
    return std::string(rest.substr(0, rest.find_first_of("/?#")));
  }

  Result<HttpHead> outcome() {
    CURLcode code = CURLE_OK;
    int left = 0;
    while (const CURLMsg* message = library_.multi_info_read(handle_.multi, &left)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    if (code != CURLE_OK && !is_unwanted_) return failure(code);
    head_.status = status();
    return std::move(head_);
  }

  // By the words of the libraries, which have no numbers for it.
  static std::string_view certificate_hint(std::string_view why) {
    const auto says = [&](std::string_view words) { return why.find(words) != why.npos; };
    if (says("expired") || says("not yet valid"))
      return "its operator must renew the certificate; or this machine's clock is wrong";
    if (says("subject name")) return "the certificate is for another host: look at the base URL";
    if (says("wrong version number") || says("unknown protocol"))
      return "the server speaks no TLS there: is it http:// instead of https://?";
    return "SSL_CERT_FILE names the authorities to trust; install ca-certificates for the usual "
           "ones";
  }

  Error failure(CURLcode code) const {
    const std::string why = error_[0] ? error_ : library_.easy_strerror(code);
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
        return {Code::network, fmt::format("cannot find {}: {}", who(), why),
                "look at the address, and whether this machine is connected", "unknown_host"};
      case CURLE_COULDNT_CONNECT:
        return {Code::network, fmt::format("cannot connect to {}: {}", who(), why),
                "is the server running there?", "cannot_connect"};
      case CURLE_OPERATION_TIMEDOUT:
        return no_answer(who(), request_.connect_timeout);  // we wait for the rest ourselves
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CERTPROBLEM:
        return {Code::network, fmt::format("no safe connection to {}: {}", who(), why),
                std::string(certificate_hint(why)), "tls_failed"};
      case CURLE_URL_MALFORMAT:
        return {Code::invalid_argument, "the address is none: " + why, "", "bad_url"};
      default:
        return {Code::network, fmt::format("the connection to {} was lost: {}", who(), why), "",
                std::string(kConnectionLost)};
    }
  }

  const Library& library_;
  Handle& handle_;
  const HttpRequest& request_;
  const OnBody& on_body_;
  curl_slist* headers_ = nullptr;
  char error_[CURL_ERROR_SIZE] = "";
  HttpHead head_;
  size_t header_bytes_ = 0;
  curl_off_t moved_ = 0;
  Steady::time_point last_;  // when something moved
  bool is_unwanted_ = false;
};

CurlHttp::CurlHttp() = default;

CurlHttp::~CurlHttp() = default;

Result<const CurlHttp::Library*> CurlHttp::library() {
  std::lock_guard lock(mutex_);
  if (!library_) library_ = TRY(Library::load());
  return library_.get();
}

Result<std::unique_ptr<CurlHttp::Handle>> CurlHttp::take_idle(const Library& library) {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Handle> handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
  }
  auto handle = std::make_unique<Handle>(library);
  if (!handle->multi || !handle->easy) return no_curl("it has no memory");
  return handle;
}

Result<HttpHead> CurlHttp::send(const HttpRequest& request, const OnBody& on_body,
                                std::stop_token stop) {
  const Library& found = *TRY(library());
  std::unique_ptr<Handle> handle = TRY(take_idle(found));
  Result<HttpHead> head = Transfer(found, *handle, request, on_body).run(stop);
  std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(handle));
  return head;
}

}  // namespace helve::sys
