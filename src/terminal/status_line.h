// StatusLine: what is going on, for how long and at what cost, in one row that is redrawn in place.
// Whoever waits calls tick(); before any other output, erase(). On a dumb terminal there is none.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "terminal/word_wrap.h"

namespace helve::terminal {

struct StatusOptions {
  bool is_dumb = false;
  bool colours = false;
  size_t columns = 80;
  std::string note = "Ctrl-C stops";
};

class StatusLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  StatusLine(StatusOptions options, Write write);

  void start(std::string_view what, Time now);
  void set_what(std::string_view what);
  void set_tokens(size_t tokens) { tokens_ = tokens; }
  // More that is to be known, such as "12k of 200k".
  void set_facts(std::string facts) { facts_ = std::move(facts); }
  void resize(size_t columns) { options_.columns = columns; }
  void stop();

  // Draws the row when it is time to; the cursor stands at the beginning of a free row.
  void tick(Time now);
  void erase();

  // The row when it is time for another one: for those who draw it themselves. At most ten times a
  // second.
  std::optional<std::string> next(Time now);

 private:
  StatusOptions options_;
  Write write_;
  std::string what_;
  size_t tokens_ = 0;
  std::string facts_;
  bool is_running_ = false;
  bool is_drawn_ = false;
  Time started_{};
  std::optional<Time> last_ = std::nullopt;
};

// "850ms", "12s", "1m 05s", "2h 10m".
std::string short_duration(std::chrono::milliseconds duration);
// "850", "1.2k", "200k", "3.4M".
std::string short_count(size_t count);

}  // namespace helve::terminal
