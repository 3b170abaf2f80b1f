#include "mcp/flights.h"

namespace helve::mcp {

Flights::Clash Flights::find_clash(const Request& request) const {
  for (const Request* flying : requests_) {
    if (flying->id == request.id) return Clash::id;
    // The token of a cancelled request is free again: nothing more is told about it.
    if (!request.progress_token.empty() && !flying->cancelled &&
        flying->progress_token == request.progress_token) {
      return Clash::progress_token;
    }
  }
  return Clash::none;
}

Flights::Clash Flights::clash(const Request& request) const {
  std::lock_guard lock(mutex_);
  return find_clash(request);
}

Flights::Clash Flights::start(Request& request) {
  request.stop = std::stop_source();
  std::lock_guard lock(mutex_);
  const Clash clash = find_clash(request);
  if (clash != Clash::none) return clash;
  request.cancelled = false;
  if (stopping_) request.stop.request_stop();
  requests_.push_back(&request);
  return Clash::none;
}

bool Flights::land(Request& request) {
  std::lock_guard lock(mutex_);
  const auto place = std::find(requests_.begin(), requests_.end(), &request);
  if (place != requests_.end()) {
    *place = requests_.back();
    requests_.pop_back();
  }
  return !request.cancelled;
}

void Flights::cancel(std::string_view id) {
  std::stop_source stop{std::nostopstate};
  {
    std::lock_guard lock(mutex_);
    for (Request* request : requests_) {
      if (request->id != id) continue;
      request->cancelled = true;
      stop = request->stop;
    }
  }
  stop.request_stop();  // outside the lock: it runs whatever the call registered for this moment
}

void Flights::stop_all() {
  std::vector<std::stop_source> stops;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Request* request : requests_) stops.push_back(request->stop);
  }
  for (std::stop_source& stop : stops) stop.request_stop();
}

}  // namespace helve::mcp
