// Roots: the directories that a legacy client works in. They are asked for, and calls wait a moment
// for the answer. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::mcp {

class Roots {
 public:
  // They will be asked for: from now on wait() waits.
  void expect();
  // Appends the request for them.
  void ask(std::string& out);

  enum class Answer : unsigned char { roots, refusal, unknown };
  // Takes a response of the client (`result` is null when it is an error); `uris` are filled from
  // roots. The answer to a question that a newer one replaced is unknown.
  Answer take(std::string_view id, const Json* result, std::vector<std::string>& uris);
  // The question is settled: those who wait() go on. To be called once the roots are in use.
  void settle();

  // Returns when no question is open any more, `stop` is requested, or the time is over; then the
  // question counts as settled, so that only the first calls wait.
  void wait(std::stop_token stop, std::chrono::milliseconds longest);

 private:
  std::mutex mutex_;
  std::condition_variable_any settled_;
  size_t asked_ = 0;      // guarded by mutex_
  bool waiting_ = false;  // guarded by mutex_; for an answer
  std::atomic<bool> open_ =
      false;  // calls should wait: read without the lock on the way of every call
};

}  // namespace helve::mcp
