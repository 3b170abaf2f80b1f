// Opener: knows where the store is and opens it when somebody first needs it. A value; copies are
// cheap.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/store.h"

namespace helve::sys {
class Clock;
}

namespace helve::store {

struct Options {
  // How long a write waits for another process that is writing.
  std::chrono::milliseconds busy_timeout{5000};
};

class Opener {
 public:
  // `path` is the database file; it and its directory are created when missing. Borrows the clock.
  Opener(std::string path, Options options, const sys::Clock& clock)
      : path_(std::move(path)), options_(options), clock_(&clock) {}

  // A connection of its own. Brings an older database up to date; refuses a newer one
  // (newer_database), one of another program (foreign_database) and a file that is none
  // (not_a_database), and leaves those untouched.
  Result<std::unique_ptr<Store>> open() const;

  const std::string& path() const { return path_; }
  const Options& options() const { return options_; }
  const sys::Clock& clock() const { return *clock_; }

 private:
  std::string path_;
  Options options_;
  const sys::Clock* clock_;
};

}  // namespace helve::store
