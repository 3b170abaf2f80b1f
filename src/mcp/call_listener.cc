#include "mcp/call_listener.h"

#include <cmath>

#include "base/text.h"
#include "mcp/message.h"
#include "mcp/object_writer.h"

namespace helve::mcp {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{50};
constexpr size_t kMaxLogMessages = 1000;    // a call
constexpr size_t kMaxMessageBytes = 8'000;  // of one progress or log message

constexpr std::string_view kLevels[] = {"debug", "info",     "notice", "warning",
                                        "error", "critical", "alert",  "emergency"};

}  // namespace

std::optional<int> find_log_level(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kLevels)); ++i) {
    if (kLevels[i] == name) return i;
  }
  return {};
}

void CallListener::progress(double done, std::optional<double> total, std::string_view message) {
  if (request_.progress_token.empty() || !std::isfinite(done) || request_.stop.stop_requested())
    return;
  std::lock_guard lock(mutex_);
  const double last = held_ ? held_->done : told_.value_or(-1);
  if (closed_ || ((held_ || told_) && done <= last)) return;  // it must grow
  held_ = Progress{done, total, std::string(cut_utf8(message, kMaxMessageBytes))};
  const auto now = clock_.steady();
  if (told_ && now - told_at_ < kProgressInterval) return;
  told_at_ = now;
  send(*held_);
  held_.reset();
}

void CallListener::send(const Progress& progress) {
  told_ = progress.done;
  std::string params;
  ObjectWriter object(params);
  object.raw("progressToken", request_.progress_token);
  object.key("progress");
  append_json_number(params, progress.done);
  if (progress.total && std::isfinite(*progress.total)) {
    object.key("total");
    append_json_number(params, *progress.total);
  }
  if (request_.version >= Version::v2025_03_26) object.text_if_any("message", progress.message);
  object.close();
  std::string line;
  append_notification(line, "notifications/progress", params);
  // Who reports it may have to watch the time.
  sink_.send_if_free(line);
}

void CallListener::log(Level level, std::string_view message) {
  const int lowest =
      request_.modern() ? request_.log_level : session_level_.load(std::memory_order_relaxed);
  if (static_cast<int>(level) < lowest || request_.stop.stop_requested()) return;
  std::lock_guard lock(mutex_);
  if (closed_ || logged_ > kMaxLogMessages) return;
  if (logged_++ == kMaxLogMessages) message = "further log messages of this call are left out";
  std::string params;
  ObjectWriter object(params);
  object.text("level", name_of(level));
  object.text("logger", tool_);
  object.text("data", cut_utf8(message, kMaxMessageBytes));
  object.close();
  std::string line;
  append_notification(line, "notifications/message", params);
  sink_.send(line);
}

void CallListener::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  if (held_ && !request_.stop.stop_requested()) send(*held_);
  held_.reset();
}

}  // namespace helve::mcp
