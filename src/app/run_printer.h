// RunPrinter: shows one run as it happens: the answer on standard output, the rest on standard
// error, or both on a terminal as a chat shows them; or every event as a line of JSON.
#pragma once

#include <functional>
#include <mutex>

#include "agent/loop.h"
#include "cli/screen.h"
#include "terminal/talk_view.h"
#include "tool/registry.h"

namespace helve::app {

// Thread-safe.
class RunPrinter {
 public:
  struct Options {
    bool as_json = false;
    bool only_structured = false;  // the answer is what was handed in, not what was said
    bool tells_all = false;        // all of it is the answer, as on a terminal
    // Standard output was closed while there was more to be shown. Called on any thread, perhaps
    // several times.
    std::function<void()> on_no_reader = [] {};
  };
  // Borrows both.
  RunPrinter(cli::Screen& screen, const Registry& registry, Options options);

  void begin(std::string session);
  void show(const agent::Event& event);
  // A text of ours: rows that are safe to show.
  void note(std::string_view rows);
  void finish(const agent::Ending& ending);

 private:
  void write(const agent::Event& event);  // mutex_ is held

  cli::Screen& screen_;
  const Registry& registry_;
  const Options options_;
  const bool streams_;  // the answer is shown as it comes
  std::mutex mutex_;
  std::string session_;
  terminal::TalkView view_;
  bool has_text_ = false;  // of the last answer, on the terminal
};

}  // namespace helve::app
