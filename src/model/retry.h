// RetryingModel: asks a model once more when it failed in a way that may pass.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "model/model.h"

namespace helve::model {

struct RetrySettings {
  int attempts = 4;  // all together
  // Doubled with each further attempt, and somewhere between the half and the whole of it, so that
  // those who failed together do not come again together.
  std::chrono::milliseconds first_wait{1'000};
  std::chrono::milliseconds longest_wait{30'000};
  // A provider that wants to be left alone for longer is not asked again.
  std::chrono::milliseconds longest_asked{120'000};
};

// Whether the same request may go well later.
bool may_pass(const Error& error);

// How long to wait before the request is made once more, when it failed for the `attempt`th time.
// Nothing: it is not; the error then says how often it was made, or when it would make sense.
std::optional<std::chrono::milliseconds> wait_before_next(Error& error, int attempt,
                                                          const RetrySettings& settings);

// Waits; false when a stop was requested meanwhile.
using Wait = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;
bool wait_on_thread(std::chrono::milliseconds time, const std::stop_token& stop);

class RetryingModel final : public Model {
 public:
  explicit RetryingModel(std::unique_ptr<Model> inner, RetrySettings settings = {},
                         Wait wait = wait_on_thread)
      : inner_(std::move(inner)), settings_(settings), wait_(std::move(wait)) {}

  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  const std::unique_ptr<Model> inner_;
  const RetrySettings settings_;
  const Wait wait_;
};

}  // namespace helve::model
