// VectorMaker: makes the vectors that an index lacks, on a thread of its own, so that nobody has to
// wait until all of them are there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "knowledge/passage_index.h"

namespace helve::knowledge {

class VectorMaker {
 public:
  // What is missing is waited for so long.
  static constexpr std::chrono::milliseconds kPatience{1500};

  // Borrows the index and the mutex that guards it and all that is in here.
  VectorMaker(PassageIndex& index, std::mutex& mutex) : index_(index), mutex_(mutex) {}

  // Holding the mutex: begins to make what is missing, if nobody does so already, and waits a
  // while. Returns why it could not be made; empty: it is, or it is being made.
  std::string wait(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Embedder>& embedder,
                   const std::stop_token& stop);

 private:
  void start(std::shared_ptr<Embedder> embedder);
  void make_all(Embedder& embedder, const std::stop_token& stop);
  Result<size_t> make_some(Embedder& embedder, const std::stop_token& stop);

  PassageIndex& index_;
  std::mutex& mutex_;
  bool is_making_ = false;
  std::string failure_;  // why the last attempt ended early
  std::condition_variable_any made_;
  std::jthread thread_;  // ends first
};

}  // namespace helve::knowledge
