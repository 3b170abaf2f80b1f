// RequestStates: what a stateless client carries from one call to the next. The client holds it, so
// it is sealed: nobody can make one, change one, use it for another call or another session, use it
// twice, or use it late. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sys {
class Clock;
}

namespace helve::mcp {

// What a seal vouches for.
struct RequestState {
  std::string nonce;
  std::int64_t expires_ms = 0;
  std::string call;      // a digest of the call that it belongs to
  std::string question;  // a digest of the question that was put
};

class RequestStates {
 public:
  static constexpr size_t kMaxUsed = 10'000;  // more than that within one timeout are refused

  // Borrows the clock. States of another process, or another object, are not ours.
  explicit RequestStates(const sys::Clock& clock);

  std::string seal(std::string_view call, std::string_view question,
                   std::chrono::milliseconds lifetime) const;
  // Error: we did not seal it, or not for this call.
  Result<RequestState> open(std::string_view text, std::string_view call) const;
  // True once for each state, until it expires.
  bool use(const RequestState& state);

 private:
  std::string seal_of(std::string_view payload) const;

  const sys::Clock& clock_;
  const std::string key_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> used_;  // guarded by mutex_; nonce -> expiry
};

// Tells one call from all others: the session, the tool and its arguments.
std::string digest_of_call(std::string_view session, std::string_view tool,
                           std::string_view arguments);

}  // namespace helve::mcp
