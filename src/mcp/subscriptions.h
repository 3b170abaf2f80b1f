// Subscriptions: the streams that modern clients opened with subscriptions/listen. Each begins with
// an acknowledgement, carries only what was asked for and can be had, and ends with a result.
// Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/request.h"
#include "mcp/sink.h"

namespace helve::mcp {

// The lists that can change. Prompts are read once, for as long as the server runs.
enum class List : unsigned char { tools, resources };
std::string_view change_notification(List list);

class Subscriptions {
 public:
  explicit Subscriptions(Sink& sink) : sink_(sink) {}

  // `offered` are the lists whose changes this server tells. The acknowledgement is sent before
  // anything else can be.
  Result<void> open(const Request& request, const std::vector<List>& offered);
  bool has(std::string_view id) const;
  void changed(List list);
  // By the client; nothing more is sent.
  void cancel(std::string_view id);
  // By us: each gets its closing messages, with `server_info` as JSON.
  void close(std::string_view server_info);

 private:
  struct Subscription {
    std::string id;
    std::vector<List> lists;
  };
  Sink& sink_;
  // Held while sending, so that an acknowledgement is never overtaken.
  mutable std::mutex mutex_;
  std::vector<Subscription> open_;  // guarded by mutex_
  std::atomic<size_t> count_ =
      0;  // of open_: nearly always none, which every request can see without the lock
};

}  // namespace helve::mcp
