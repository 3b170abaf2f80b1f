#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{400};  // before the first line
constexpr std::chrono::milliseconds kPause{100};     // between two
constexpr size_t kBar = 20;                          // characters

}  // namespace

std::string progress_text(double done, double total, std::string_view message, size_t width) {
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const auto full = static_cast<size_t>(share * kBar);
  std::string text = "[";
  for (size_t i = 0; i < kBar; ++i) text += i < full ? "█" : " ";
  text += fmt::format("] {:.0f}/{:.0f} {}", done, total, escape_for_display(message));
  return std::string(first_chars(text, width));
}

ProgressLine::ProgressLine(Stream& to, size_t width)
    : to_(to), width_(width), next_(Clock::now() + kPatience) {}

void ProgressLine::show(double done, double total, std::string_view message) {
  if (!to_.is_terminal || !to_.style.is_on()) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  // Without line wrap: some characters take two columns, and the line must stay one.
  to_.write(fmt::format("\r\x1b[K\x1b[?7l{}\x1b[?7h",
                        progress_text(done, total, message, width_ > 1 ? width_ - 1 : 1)));
  is_shown_ = true;
}

void ProgressLine::clear() {
  if (!is_shown_) return;
  to_.write("\r\x1b[K");
  is_shown_ = false;
}

}  // namespace helve::cli
