// Opener: knows where the store is and opens it when somebody first needs it. A value; copies are
// cheap.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

namespace helve::sys {
class Clock;
}

namespace helve::store {

class Siblings;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct Options {
  // How long a write waits for others that are writing.
  std::chrono::milliseconds busy_timeout{5000};
  // Of all stored results together: the oldest go when a new one needs the room.
  std::uint64_t result_bytes = kMaxStoredBytes;
  // Whether a begun call and a kept result survive a power failure, too.
  bool sync = true;
};

class Opener {
 public:
  // `path` is the database file; it and its directory are created when missing. Borrows the clock.
  Opener(std::string path, Options options, const sys::Clock& clock);
  // The same store with other options.
  Opener with(Options options) const;

  // A connection of its own. Brings an older database up to date; refuses a newer one
  // (newer_database), one of another program (foreign_database) and a file that is none
  // (not_a_database), and leaves those untouched.
  // Opening waits for others until the deadline, or without one for the busy timeout.
  Result<std::unique_ptr<Store>> open(Deadline deadline = {}) const;

  const std::string& path() const { return path_; }
  const Options& options() const { return options_; }
  const sys::Clock& clock() const { return *clock_; }
  // What the shared connections of all copies know of each other.
  Siblings& siblings() const { return *siblings_; }

 private:
  std::string path_;
  Options options_;
  const sys::Clock* clock_;
  std::shared_ptr<Siblings> siblings_;
};

}  // namespace helve::store
