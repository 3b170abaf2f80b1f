#include "model/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "model/http_model.h"
#include "sys/id.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

// What the provider asked for; nothing when it did not say.
std::optional<milliseconds> asked_wait(const Error& error) {
  const Json* wait = find(error.details, kRetryAfter);
  if (!wait || !wait->is_int64()) return std::nullopt;
  return milliseconds(wait->get_int64());
}

milliseconds own_wait(int attempt, const RetrySettings& settings) {
  milliseconds whole = settings.first_wait;
  for (int i = 1; i < attempt && whole < settings.longest_wait; ++i) whole *= 2;
  whole = std::min(whole, settings.longest_wait);
  const std::uint64_t half = static_cast<std::uint64_t>(whole.count()) / 2;
  return milliseconds(static_cast<std::int64_t>(half + sys::random_number() % (half + 1)));
}

}  // namespace

bool may_pass(const Error& error) {
  constexpr std::string_view kStays[] = {"tls_failed", "unknown_host", "no_curl", kNoStream,
                                         kDailyQuota};
  if (std::ranges::find(kStays, error.type) != std::end(kStays)) return false;
  return error.code == Code::network || error.code == Code::timeout ||
         error.code == Code::unavailable;
}

bool wait_on_thread(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

std::optional<milliseconds> wait_before_next(Error& error, int attempt,
                                             const RetrySettings& settings) {
  if (!may_pass(error) || attempt >= settings.attempts) {
    if (attempt > 1 && error.code != Code::cancelled)
      error.message += fmt::format(" (tried {} times)", attempt);
    return std::nullopt;
  }
  const milliseconds wait = asked_wait(error).value_or(own_wait(attempt, settings));
  if (wait <= settings.longest_asked) return wait;
  error.hint = fmt::format("the provider wants {} s of rest; try again then",
                           std::chrono::ceil<std::chrono::seconds>(wait).count());
  return std::nullopt;
}

Result<Reply> RetryingModel::stream(const Request& request, const Emit& emit,
                                    std::stop_token stop) {
  for (int attempt = 1;; ++attempt) {
    Result<Reply> reply = inner_->stream(request, emit, stop);
    if (reply) return reply;
    const auto wait = wait_before_next(reply.error(), attempt, settings_);
    if (!wait) return reply;
    emit(Retrying{reply.error(), attempt + 1, *wait});
    if (!wait_(*wait, stop)) return Error{Code::cancelled, "stopped while waiting to try again"};
  }
}

}  // namespace helve::model
