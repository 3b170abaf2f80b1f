// Connections to other programs and machines, made and used without ever waiting longer than the
// caller wants to.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"
#include "sys/stream.h"

namespace helve::sys {

// How long whoever talks to another side is willing to wait: until a stop is requested, until
// nothing has happened for a while, and until everything has taken too long. One thread.
class Patience {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // `who` is the other side, for errors. Without `total` only single waits are bounded. Borrows the
  // wakeup.
  Patience(const Wakeup& wakeup, std::stop_token stop, std::string who, Milliseconds total)
      : wakeup_(wakeup),
        who_(std::move(who)),
        total_(total),
        end_(std::chrono::steady_clock::now() + total),
        stop_(stop),
        on_stop_(std::move(stop), [this] { wakeup_.signal(); }) {}
  Patience(const Patience&) = delete;

  // Until the descriptor is ready for `events`, as poll knows them, but no longer than `idle`.
  Result<void> wait(int descriptor, short events, Milliseconds idle) const;
  const std::string& who() const { return who_; }

 private:
  const Wakeup& wakeup_;
  const std::string who_;
  const Milliseconds total_;
  const std::chrono::steady_clock::time_point end_;
  const std::stop_token stop_;
  const std::stop_callback<std::function<void()>> on_stop_;
};

// What ran out, of someone who was waited for: an answer at all, more of it, or all of it.
Error no_answer(std::string_view who, Patience::Milliseconds waited);
Error sent_nothing(std::string_view who, Patience::Milliseconds waited);
Error took_too_long(std::string_view who, Patience::Milliseconds waited);

// A TCP connection to one of the host's addresses, tried in their order. A name is looked up on a
// thread of its own, since that cannot be stopped; localhost is known.
Result<Fd> connect_to(const std::string& host, const std::string& port,
                      Patience::Milliseconds longest, const Patience& patience);

}  // namespace helve::sys
