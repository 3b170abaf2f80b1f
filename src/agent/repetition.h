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
  std::unordered_map<std::uint64_t, int> seen_;  // all that ever was; 0: before the last news
};

}  // namespace helve::agent
