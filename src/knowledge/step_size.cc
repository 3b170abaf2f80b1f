#include "knowledge/step_size.h"

#include <algorithm>

namespace helve::knowledge {

void StepSize::took(size_t texts, std::chrono::nanoseconds time) {
  if (time > kLong)
    texts_ = std::max<size_t>(std::min(texts, texts_.load()) / 2, 1);
  else if (texts >= texts_ && 2 * time <= kLong)  // fewer tell nothing of so many
    texts_ = std::min(2 * texts_.load(), kMost);
}

}  // namespace helve::knowledge
