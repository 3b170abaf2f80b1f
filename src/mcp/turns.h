// Turns: the calls of a client that change files run one after the other, in the order in which
// they came. Models send several edits of one file at once, and clients do not wait: each must find
// what the one before it left. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace helve::mcp {

class Turns {
 private:
  struct Queue;

 public:
  // A place in the queue. Whoever lets go of it, waited or not, lets the next one in.
  class Turn {
   public:
    Turn(Turn&&) noexcept = default;
    Turn& operator=(Turn&& other) noexcept;
    ~Turn() { leave(); }

    // Until all that came before are done, or `stop` is requested.
    void wait(const std::stop_token& stop) const;

   private:
    friend class Turns;
    Turn(std::shared_ptr<Queue> queue, std::uint64_t number)
        : queue_(std::move(queue)), number_(number) {}
    void leave();

    std::shared_ptr<Queue> queue_;  // null: moved away
    std::uint64_t number_;
  };

  Turns();
  Turn take();

 private:
  std::shared_ptr<Queue> queue_;
};

}  // namespace helve::mcp
