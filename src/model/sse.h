// Server-sent events, as the HTML standard has them: a stream of bytes becomes events. Bytes may be
// cut anywhere: in a character, in a line ending, in the mark at the beginning.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::model {

struct SseEvent {
  std::string type;  // "message" unless the stream names another
  std::string data;  // lines joined by newlines
};

// One thread at a time.
class SseParser {
 public:
  static constexpr size_t kMaxEvent = 32u << 20;  // bytes of an event, and of a line

  // The event may be changed or moved from. False: the rest is not wanted.
  using OnEvent = std::function<bool(SseEvent&)>;

  // Error: an event is larger than kMaxEvent. What the stream leaves unfinished when it ends is no
  // event.
  Result<void> feed(std::string_view bytes, const OnEvent& on_event);

 private:
  bool end_line(std::string_view line, const OnEvent& on_event);
  bool dispatch(const OnEvent& on_event);

  std::string line_;  // the beginning of a line whose end has not come
  SseEvent event_;
  bool has_data_ = false;
  bool after_return_ = false;  // a newline now belongs to the return before it
  bool at_start_ = true;
  bool is_over_ = false;  // nobody wants more
};

}  // namespace helve::model
