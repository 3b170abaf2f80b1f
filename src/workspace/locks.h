// Locks: one lock per name, for as long as somebody holds it. Writers of the same file take turns,
// others never wait. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace helve::workspace {

class Locks {
 public:
  class Held {
   public:
    Held(Locks& locks, std::string name) : locks_(locks), name_(std::move(name)) {}
    ~Held() { locks_.release(name_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    Locks& locks_;
    std::string name_;
  };

  // Waits until nobody else holds the name.
  [[nodiscard]] Held acquire(std::string name);

 private:
  void release(const std::string& name);

  std::mutex mutex_;
  std::condition_variable released_;
  std::set<std::string> held_;  // guarded by mutex_
};

}  // namespace helve::workspace
