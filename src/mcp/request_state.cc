#include "mcp/request_state.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/id.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kVersion = "v1";
constexpr size_t kMaxBytes = 1000;  // of a state; ours have less

// 256 bits that nobody can foresee.
std::string new_key() {
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:016x}", sys::random_number());
  return key;
}

Error not_ours() {
  return Error{Code::invalid_argument, "the requestState does not belong to this call",
               "send it back unchanged, with the call that it answers", "invalid_request_state"};
}

}  // namespace

RequestStates::RequestStates(const sys::Clock& clock) : clock_(clock), key_(new_key()) {}

std::string RequestStates::seal_of(std::string_view payload) const {
  return hmac_sha256_hex(key_, payload);
}

std::string RequestStates::seal(std::string_view call, std::string_view question,
                                std::chrono::milliseconds lifetime) const {
  const std::string payload =
      fmt::format("{}.{:016x}{:016x}.{}.{}.{}", kVersion, sys::random_number(),
                  sys::random_number(), clock_.unix_ms() + lifetime.count(), call, question);
  return payload + "." + seal_of(payload);
}

Result<RequestState> RequestStates::open(std::string_view text, std::string_view call) const {
  const size_t end = text.rfind('.');
  if (text.size() > kMaxBytes || end == text.npos ||
      !equal_in_constant_time(seal_of(text.substr(0, end)), text.substr(end + 1)))
    return not_ours();
  const std::vector<std::string_view> parts = split(text.substr(0, end), '.');
  if (parts.size() != 5 || parts[0] != kVersion || parts[3] != call) return not_ours();
  RequestState state{.nonce = std::string(parts[1]),
                     .call = std::string(parts[3]),
                     .question = std::string(parts[4])};
  std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), state.expires_ms);
  return state;
}

bool RequestStates::use(const RequestState& state) {
  const std::int64_t now = clock_.unix_ms();
  if (state.expires_ms <= now) return false;
  const std::lock_guard lock(mutex_);
  if (used_.size() >= kMaxUsed)
    std::erase_if(used_, [&](const auto& each) { return each.second <= now; });
  return used_.size() < kMaxUsed && used_.emplace(state.nonce, state.expires_ms).second;
}

std::string digest_of_call(std::string_view session, std::string_view tool,
                           std::string_view arguments) {
  // Lengths keep the parts apart.
  return sha256_hex(
      fmt::format("{}:{}{}:{}{}", session.size(), session, tool.size(), tool, arguments));
}

}  // namespace helve::mcp
