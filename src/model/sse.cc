#include "model/sse.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::model {
namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";

Error too_large() {
  return Error{Code::too_large,
               fmt::format("the model's server sent an event of more than {}",
                           human_size(SseParser::kMaxEvent)),
               "", "bad_stream"};
}

}  // namespace

Result<void> SseParser::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty() && !is_over_) {
    if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    const size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + event_.data.size() > kMaxEvent) return too_large();
    if (end == bytes.npos) {
      line_ += part;
      return {};
    }
    // A line that came whole is not copied.
    if (line_.empty()) {
      is_over_ = !end_line(part, on_event);
    } else {
      line_ += part;
      is_over_ = !end_line(line_, on_event);
      line_.clear();
    }
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
  }
  return {};
}

bool SseParser::end_line(std::string_view line, const OnEvent& on_event) {
  if (std::exchange(at_start_, false) && line.starts_with(kMark)) line.remove_prefix(kMark.size());
  if (line.empty()) return dispatch(on_event);
  const size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  // Comments have no field, and ids and times of reconnection are for those who connect again.
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    event_.type = value;
  }
  return true;
}

bool SseParser::dispatch(const OnEvent& on_event) {
  bool goes_on = true;
  if (has_data_) {
    if (event_.type.empty()) event_.type = "message";
    goes_on = on_event(event_);
  }
  event_ = {};
  has_data_ = false;
  return goes_on;
}

}  // namespace helve::model
