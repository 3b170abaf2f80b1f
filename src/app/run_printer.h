// RunPrinter: shows one run as it happens: the answer on standard output, the rest on standard
// error; or every event as a line of JSON.
#pragma once

#include <mutex>

#include "agent/loop.h"
#include "cli/screen.h"

namespace helve::app {

// Thread-safe.
class RunPrinter {
 public:
  // `only_structured`: the answer is what was handed in, not what was said.
  RunPrinter(cli::Screen& screen, bool as_json, bool only_structured)
      : screen_(screen), as_json_(as_json), only_structured_(only_structured) {}

  void begin(std::string session);
  void show(const agent::Event& event);
  void finish(const agent::Ending& ending);

 private:
  void text(std::string_view text);
  void note(std::string_view line);
  void end_line();

  cli::Screen& screen_;
  const bool as_json_, only_structured_;
  std::mutex mutex_;
  std::string session_;
  bool in_line_ = false;   // what was written last ends in the middle of a line
  bool has_text_ = false;  // of the last answer, on the terminal
};

}  // namespace helve::app
