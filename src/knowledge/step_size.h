// StepSize: how many texts a server is best given at once. What it takes for them is measured, so
// that each answer comes soon, however slow the server is: a process that ends loses little then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace helve::knowledge {

// Thread-safe.
class StepSize {
 public:
  static constexpr size_t kFirst = 4, kMost = 64;
  static constexpr std::chrono::milliseconds kLong{500};  // that an answer may take

  size_t texts() const { return texts_; }
  // So many were answered in such a time.
  void took(size_t texts, std::chrono::nanoseconds time);

 private:
  std::atomic<size_t> texts_ = kFirst;
};

}  // namespace helve::knowledge
