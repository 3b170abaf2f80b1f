// VectorMaker: makes the vectors that an index lacks, on a thread of its own, so that nobody has to
// wait until all of them are there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "knowledge/passage_index.h"
#include "sys/clock.h"

namespace helve::knowledge {

// How far something is that takes long, and what that is.
using Progress = std::function<void(double done, double total, std::string_view what)>;

// How many passages have a vector.
struct VectorCount {
  size_t made = 0;
  size_t all = 0;
  std::string failure = {};  // why the others could not be made; empty: they are being made

  bool is_complete() const { return made == all; }
  std::string note() const;  // for who searched before it is complete
};

class VectorMaker {
 public:
  // What is missing is waited for so long, and longer while nothing has come at all: a process that
  // ends after each search would never get on.
  static constexpr std::chrono::milliseconds kPatience{1500};
  static constexpr std::chrono::milliseconds kFirstPatience{4000};
  enum class Until : unsigned char { patience_ends, complete };

  // Borrows the index and the mutex that guards it and all that is in here, and a clock instead of
  // the real one.
  VectorMaker(PassageIndex& index, std::mutex& mutex, const sys::Clock* clock = nullptr)
      : index_(index), mutex_(mutex), clock_(clock ? *clock : real_clock_) {}

  // Holding the mutex, which is released at times: begins to make what is missing, if nobody does
  // so already, and waits.
  VectorCount wait(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Embedder>& embedder,
                   Until until, const Progress& progress, const std::stop_token& stop);

 private:
  struct Wanted {
    std::string key;
    size_t passage;
    std::string text;
  };

  void start(std::shared_ptr<Embedder> embedder);
  void make_all(Embedder& embedder, const std::stop_token& stop);
  Result<size_t> make_some(Embedder& embedder, const std::stop_token& stop);
  Result<void> take(std::span<const Wanted> wanted, std::span<const Vector> vectors);

  PassageIndex& index_;
  std::mutex& mutex_;
  const sys::RealClock real_clock_;
  const sys::Clock& clock_;
  bool is_making_ = false;
  bool has_made_ = false;  // something
  std::string failure_;    // why the last attempt ended early
  std::condition_variable_any made_;
  std::jthread thread_;  // ends first
};

}  // namespace helve::knowledge
