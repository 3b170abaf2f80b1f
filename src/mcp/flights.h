// Flights: the requests that are being answered, so that they can be cancelled and no id is used
// twice at once. Thread-safe.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "mcp/request.h"

namespace helve::mcp {

class Flights {
 public:
  // What a new request has in common with one in flight.
  enum class Clash : unsigned char { none, id, progress_token };
  Clash clash(const Request& request) const;
  // Without a clash the request is in flight: until land() it can be cancelled and must stay where
  // it is.
  [[nodiscard]] Clash start(Request& request);
  // Ends the flight. False: it was cancelled, and must not be answered.
  [[nodiscard]] bool land(Request& request);

  // Nothing happens when no such request is in flight.
  void cancel(std::string_view id);
  // Asks all to stop, also those that start later; they are still answered.
  void stop_all();

 private:
  Clash find_clash(const Request& request) const;

  // Few at a time: a scan is faster than any map.
  mutable std::mutex mutex_;
  std::vector<Request*> requests_;  // guarded by mutex_
  bool stopping_ = false;           // guarded by mutex_
};

}  // namespace helve::mcp
