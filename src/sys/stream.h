// Blocking reads and writes on descriptors that others opened: pipes, sockets, terminals, files.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sys {

// Wakes whoever waits, now and from then on.
class Wakeup {
 public:
  static Result<Wakeup> make();

  // Thread-safe and async-signal-safe.
  void signal() const;
  // As if it had not been called so far.
  void reset() const;
  // Returns once signal() was called.
  void wait() const;
  // True once signal() was called; false when it was not within `longest`.
  bool wait_for(std::chrono::milliseconds longest) const;
  int descriptor() const { return event_.get(); }  // readable from then on

 private:
  explicit Wakeup(Fd event) : event_(std::move(event)) {}
  Fd event_;
};

struct Pipe {
  Fd read, write;
};
Result<Pipe> make_pipe();

// Another number for the same open file, so that it stays open when the first one is closed.
Result<Fd> duplicate(int descriptor);

enum class ReadEnd : unsigned char { none, end, failed };
struct ReadOutcome {
  size_t bytes = 0;  // at least one, unless the stream is over
  ReadEnd end = ReadEnd::none;
};
// Waits until there is something to read or the stream ends, also on a descriptor that does not
// block.
ReadOutcome read_some(int descriptor, char* buffer, size_t size);

// True: something can be read, or the stream is over. False: not within `longest`; without one it
// waits as long as it takes. Error: a stop was requested.
Result<bool> wait_readable(int descriptor, std::optional<std::chrono::milliseconds> longest,
                           std::stop_token stop);

// Whether it is a pipe, a socket or a file: somebody may have put something there.
bool is_piped(int descriptor);

// Whether all who could write to `descriptor` have closed it, which shows even while nobody reads;
// what was written before may still be there.
bool is_hung_up(int descriptor);

// Writes everything, waiting as long as it takes, also on a descriptor that does not block. False:
// the other side is gone or the descriptor does not work.
bool write_all(int descriptor, std::string_view bytes);
// The same, but not longer than until `end`: then false, and some of the bytes may be written. For
// pipes and sockets whether they block or not.
bool write_until(int descriptor, std::string_view bytes, std::chrono::steady_clock::time_point end);

// How much of it could be written without waiting.
size_t write_what_fits(int descriptor, std::string_view bytes);

// Gives the numbers of standard streams that are closed to something that can be used as little, so
// that nothing else gets them. To be called before anything is opened.
void take_standard_streams();

// A reader that went away then shows as a failed write instead of ending the process.
void ignore_broken_pipes();

}  // namespace helve::sys
