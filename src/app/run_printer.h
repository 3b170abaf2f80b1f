// RunPrinter: shows one run as it happens: the answer on standard output, the rest on standard
// error, or both on a terminal as a chat shows them; or every event as a line of JSON.
#pragma once

#include <mutex>

#include "agent/loop.h"
#include "cli/screen.h"
#include "terminal/talk_view.h"
#include "tool/registry.h"

namespace helve::app {

// Thread-safe.
class RunPrinter {
 public:
  // `only_structured`: the answer is what was handed in, not what was said. Borrows both.
  RunPrinter(cli::Screen& screen, const Registry& registry, bool as_json, bool only_structured);

  void begin(std::string session);
  void show(const agent::Event& event);
  void finish(const agent::Ending& ending);

 private:
  cli::Screen& screen_;
  const Registry& registry_;
  const bool as_json_, only_structured_;
  const bool streams_;  // the answer is shown as it comes
  std::mutex mutex_;
  std::string session_;
  terminal::TalkView view_;
  bool has_text_ = false;  // of the last answer, on the terminal
};

}  // namespace helve::app
