// HttpModel: a model behind HTTP. The provider's file knows the words, this one how they travel.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "model/wire.h"
#include "sys/http.h"

namespace helve::model {

struct Timeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds idle{300'000};  // a model may think for long without a word
  std::chrono::milliseconds total{0};       // 0: none
};

class HttpModel final : public Model {
 public:
  static constexpr size_t kMaxErrorPage = 64u
                                          << 10;  // bytes that are read of an answer that is none

  static constexpr std::uint64_t kMaxReply = 128u << 20;  // bytes of a stream

  // Borrows the wire and the client.
  HttpModel(const Wire& wire, Endpoint endpoint, sys::HttpClient& client, Timeouts timeouts = {})
      : wire_(wire), endpoint_(std::move(endpoint)), client_(client), timeouts_(timeouts) {}

  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  // What the provider is told of tools, as text.
  struct Told {
    Offers offers;
    std::string text;
    std::vector<std::string> notes;
  };
  std::shared_ptr<const Told> tell(const Offers& offers);

  const Wire& wire_;
  const Endpoint endpoint_;
  sys::HttpClient& client_;
  const Timeouts timeouts_;
  std::atomic<size_t> room_ = 0;  // that the next body is likely to need
  std::mutex mutex_;
  std::shared_ptr<const Told> told_;  // guarded by mutex_; the last: most requests offer the same
};

// What an answer that is no stream means. The key is not shown, even where the server repeats it.
Error answer_error(const sys::HttpHead& head, std::string page, std::string_view key);
Error without_key(Error error, std::string_view key);
// How long the provider wants to be left alone; nothing when it does not say. `unix_ms` is now.
std::optional<std::chrono::milliseconds> retry_after(const sys::HttpHead& head,
                                                     std::int64_t unix_ms);

}  // namespace helve::model
