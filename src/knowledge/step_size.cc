#include "knowledge/step_size.h"

#include <algorithm>

namespace helve::knowledge {

size_t StepSize::texts() const {
  std::lock_guard lock(mutex_);
  return texts_;
}

void StepSize::took(size_t texts, std::chrono::nanoseconds time) {
  std::lock_guard lock(mutex_);
  // Fewer texts took about as long: it is the way there that takes the time.
  if (texts < last_texts_ && 4 * time > 3 * last_) long_ = std::max(long_, 2 * time);
  last_texts_ = texts;
  last_ = time;
  if (time > long_)
    texts_ = std::max<size_t>(std::min(texts, texts_) / 2, 1);
  else if (texts >= texts_)  // fewer tell nothing of so many
    texts_ = std::min(2 * texts_, kMost);
}

}  // namespace helve::knowledge
