// StepSize: how many texts a server is best given at once. What it takes for them is measured, so
// that each answer comes soon, however slow the server is: a process that ends loses little then.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

namespace helve::knowledge {

// Thread-safe.
class StepSize {
 public:
  static constexpr size_t kFirst = 4, kMost = 64;
  static constexpr std::chrono::milliseconds kLong{500};  // that an answer may take

  size_t texts() const;
  // So many were answered in such a time.
  void took(size_t texts, std::chrono::nanoseconds time);

 private:
  mutable std::mutex mutex_;
  size_t texts_ = kFirst;
  size_t last_texts_ = 0;
  std::chrono::nanoseconds last_{0};
  std::chrono::nanoseconds long_ = kLong;  // more where the way there alone takes so much
};

}  // namespace helve::knowledge
