// Sink: where messages go that answer nothing: notifications and our own requests.
#pragma once

#include <string_view>

namespace helve::mcp {

class Sink {
 public:
  virtual ~Sink() = default;
  // One message with its newline. Sent at once, after whatever was given to the connection before.
  // Thread-safe.
  virtual void send(std::string_view message) = 0;
  // The same for what may be left out: not when the other side does not read at the moment.
  virtual void send_if_free(std::string_view message) { send(message); }
};

}  // namespace helve::mcp
