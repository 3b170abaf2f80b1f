// Stdio: serves one client over a pair of descriptors, one message a line. Calls run concurrently
// (those that change something in turn), small ones on the thread that read them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "mcp/line_reader.h"
#include "mcp/server.h"

namespace helve::mcp {

struct StdioOptions {
  size_t max_line = kMaxLineBytes;
  size_t max_calls = 64;  // at once; further ones wait their turn
  // What a client that closed our input may still expect: calls have this long to end by
  // themselves, …
  std::chrono::milliseconds grace{200};
  // … and this long after they were asked to stop.
  // This long a client that closed our input may also leave an answer unread.
  std::chrono::milliseconds patience{2000};
};

struct Served {
  // Calls that did not end in time. They still use the server and all it borrows, so the process
  // must end without destroying those.
  size_t still_running = 0;
  // Why it ended, when neither the client nor stop() wanted it to; or that answers were lost.
  std::optional<Error> failure = {};
};

class Stdio {
 public:
  // Borrows the server and `out`; has a number of its own for `in`. From here on a broken pipe is
  // no signal any more, for the whole process.
  static Result<Stdio> make(Server& server, Identity who, int in, int out,
                            StdioOptions options = {});
  ~Stdio();
  Stdio(Stdio&&) noexcept;

  // Returns within grace and patience after the input ended, the output broke, or stop() was
  // called, also when nobody reads the output; then a thread may still wait for input, but it uses
  // nothing that is borrowed. To be called once.
  Result<Served> serve();
  // Thread-safe and async-signal-safe.
  void stop();

 private:
  class Connection;
  explicit Stdio(std::shared_ptr<Connection> connection);
  // Shared with the connection's threads: one that is still running may outlive this object.
  std::shared_ptr<Connection> connection_;
};

}  // namespace helve::mcp
