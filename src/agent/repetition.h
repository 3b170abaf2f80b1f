// Repetition: sees when a model makes the same calls with the same results again and again. As soon
// as anything new comes of a call, it is no longer going round in circles.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/message.h"

namespace helve::agent {

class Repetition {
 public:
  static constexpr int kWarnAt = 3, kStopAt = 5;

  // How often this was seen since anything new was, with this time.
  int count(const model::ToolCall& call, const model::ToolResult& result);

 private:
  struct Seen {
    std::uint64_t news = 0;  // the last that it was seen after
    int times = 0;           // since then
  };
  std::unordered_map<std::uint64_t, Seen> seen_;  // all that ever was
  std::uint64_t news_ = 0;
};

}  // namespace helve::agent
