#include "terminal/status_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr std::string_view kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};

}  // namespace

std::string short_duration(std::chrono::milliseconds duration) {
  const auto milliseconds = std::max<std::int64_t>(0, duration.count());
  const auto seconds = milliseconds / 1000;
  if (seconds == 0) return fmt::format("{}ms", milliseconds);
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h {:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string short_count(size_t count) {
  if (count < 1000) return fmt::format("{}", count);
  const bool is_thousands = count < 999'500;
  const double shown = static_cast<double>(count) / (is_thousands ? 1e3 : 1e6);
  const char* const unit = is_thousands ? "k" : "M";
  return shown < 9.95 ? fmt::format("{:.1f}{}", shown, unit) : fmt::format("{:.0f}{}", shown, unit);
}

StatusLine::StatusLine(StatusOptions options, Write write)
    : options_(std::move(options)), write_(std::move(write)) {}

void StatusLine::start(std::string_view what, Time now) {
  set_what(what);
  tokens_ = 0;
  started_ = now;
  last_.reset();
  is_running_ = !options_.is_dumb;
}

void StatusLine::set_what(std::string_view what) { what_ = shown(what); }

void StatusLine::stop() {
  erase();
  is_running_ = false;
}

std::optional<std::string> StatusLine::next(Time now) {
  if (!is_running_ || (last_ && now - *last_ < kPause)) return std::nullopt;
  last_ = now;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  const auto turn = static_cast<size_t>(elapsed / kPause) % std::size(kSpinner);
  std::string facts =
      fmt::format(" · {}s", std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
  if (elapsed >= std::chrono::minutes(1)) facts = " · " + short_duration(elapsed);
  if (tokens_ > 0) facts += fmt::format(" · {} tokens", short_count(tokens_));
  if (!facts_.empty()) facts += " · " + facts_;
  if (!options_.note.empty()) facts += " · " + options_.note;
  return fitted(with_look(cyan, kSpinner[turn], options_.colours) + " " + what_ +
                    with_look(dim, facts, options_.colours),
                std::max<size_t>(options_.columns, 2) - 1);
}

void StatusLine::tick(Time now) {
  const auto row = next(now);
  if (!row) return;
  write_("\r" + *row + "\x1b[K");
  is_drawn_ = true;
}

void StatusLine::erase() {
  if (std::exchange(is_drawn_, false)) write_("\r\x1b[K");
  last_.reset();
}

}  // namespace helve::terminal
