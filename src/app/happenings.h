// Happenings: what agents emit on their threads, kept until the thread that draws takes it.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "agent/loop.h"
#include "terminal/happening.h"
#include "tool/registry.h"

namespace helve::app {

// Nothing: a screen has no use for it. Without a registry calls do not tell what they are about.
std::optional<terminal::Happening> happening_of(const agent::Event& event,
                                                const Registry* registry);

// What all answers since the start have taken, sub-agents included.
struct Consumption {
  model::Usage usage;
  std::int64_t micro_dollars = 0;
  bool is_priced = true;
};

// Thread-safe. What a command writes is dropped while nobody takes anything, such as a terminal
// that stands still.
class Happenings {
 public:
  explicit Happenings(const Registry& registry) : registry_(registry) {}

  void add(const agent::Event& event);
  void add(terminal::Happening happening);
  std::vector<terminal::Happening> take();
  // Returns when there is something to take, or after that time.
  void wait_for(std::chrono::milliseconds longest);
  // Returns when all that has happened so far was taken and shown; or after that time, since nobody
  // takes anything while a prompt is read.
  void wait_until_shown(std::chrono::milliseconds longest, std::stop_token stop);
  Consumption consumption() const;

 private:
  std::string name_of(std::string_view session, const agent::CallShaped& piece);

  const Registry& registry_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable_any emptied_;
  std::vector<terminal::Happening> waiting_;  // guarded by mutex_
  std::uint64_t found_empty_ = 0;             // guarded by mutex_: how often
  // Of a call that stands for another, by session: what has come of it, until that is named.
  std::map<std::string, std::string, std::less<>> begun_;  // guarded by mutex_
  Consumption consumption_;                                // guarded by mutex_
};

}  // namespace helve::app
