// ProgressLine: how far a long call is, on one line of a terminal that goes away when the call
// ends.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/screen.h"

namespace helve::cli {

// "[████      ] 40/100 docs/a.md", at most `width` characters.
std::string progress_text(double done, double total, std::string_view message, size_t width);

// For one thread at a time.
class ProgressLine {
 public:
  // Shows nothing where the stream is no terminal, or the terminal cannot clear a line.
  ProgressLine(Stream& to, size_t width);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;

  // What takes no time is not shown, and nothing more often than people can read.
  void show(double done, double total, std::string_view message);
  // Before something else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Stream& to_;
  const size_t width_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace helve::cli
