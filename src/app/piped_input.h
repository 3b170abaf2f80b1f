// What was piped into a command that can do without it.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace helve::app {

constexpr size_t kMaxPiped = 10u << 20;  // bytes
// Programs that start others often leave them a pipe that nobody writes into, and never close it.
constexpr std::chrono::milliseconds kPipePatience{3'000};

struct Piped {
  std::string text;
  bool is_silent = false;  // nobody wrote anything, and it was given up on
};
// All that comes through a pipe or a socket, or stands in a file; of anything else, such as a
// terminal, nothing. `patience` is for the first byte: what has begun is read to its end.
Result<Piped> read_piped(int descriptor, std::chrono::milliseconds patience,
                         const std::stop_token& stop);

}  // namespace helve::app
