// Locks: one lock per name, for as long as somebody holds it. Writers of the same file take turns,
// others never wait. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace helve::workspace {

class Locks {
 public:
  class Held {
   public:
    Held(Locks& locks, std::vector<std::string> names) : locks_(locks), names_(std::move(names)) {}
    ~Held() { locks_.release(names_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    Locks& locks_;
    std::vector<std::string> names_;
  };

  // Waits until nobody else holds any of the names, then takes all at once: whoever waits holds
  // nothing, so two that want each other's never block each other.
  [[nodiscard]] Held acquire(std::vector<std::string> names);

 private:
  void release(const std::vector<std::string>& names);

  std::mutex mutex_;
  std::condition_variable released_;
  std::set<std::string> held_;  // guarded by mutex_
};

}  // namespace helve::workspace
