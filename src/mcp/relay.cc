#include "mcp/relay.h"

namespace helve::mcp {
namespace {

constexpr std::chrono::milliseconds kTick{1};
constexpr int kQuietTicks = 20;  // without any work, before sleeping

}  // namespace

Relay::Turn Relay::offer() {
  const Turn turn = turn_.load(std::memory_order_relaxed) + 1;  // nobody else changes an even turn
  // Sequentially consistent, here and in sleep(): either we see that the other thread sleeps, or it
  // sees this turn.
  turn_.store(turn);
  if (asleep_.load()) {
    {
      std::lock_guard lock(mutex_);
      asleep_ = false;
    }
    wake_.notify_one();
  }
  return turn;
}

bool Relay::reserve() {
  // The plain look comes first: it is taken nearly always, and this is on the way of every call.
  return !reserved_.load(std::memory_order_relaxed) && !reserved_.exchange(true);
}

bool Relay::stand_by() {
  std::unique_lock lock(mutex_);
  int quiet = 0;
  while (!ended_) {
    Turn seen = turn_.load();
    wake_.wait_for(lock, kTick);
    if (ended_) break;
    if (turn_.load() != seen) {
      quiet = 0;
    } else if (seen % 2 == 1) {
      if (!turn_.compare_exchange_strong(seen, seen + 1)) continue;
      give_back();
      return true;
    } else if (++quiet >= kQuietTicks) {
      sleep(lock, seen);
      quiet = 0;
    }
  }
  give_back();
  return false;
}

void Relay::sleep(std::unique_lock<std::mutex>& lock, Turn seen) {
  asleep_ = true;
  if (turn_.load() != seen) asleep_ = false;
  wake_.wait(lock, [this] { return ended_ || !asleep_; });
  asleep_ = false;
}

void Relay::end() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
}

}  // namespace helve::mcp
