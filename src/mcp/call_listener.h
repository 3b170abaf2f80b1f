// CallListener: tells the client how far a call is, as its request allows: progress for the token
// it gave, and log messages from the level it asked for.
#pragma once

#include <atomic>
#include <mutex>

#include "mcp/request.h"
#include "mcp/sink.h"
#include "sys/clock.h"
#include "tool/context.h"

namespace helve::mcp {

// "debug" is 0, "emergency" 7. Empty: there is no such level.
std::optional<int> find_log_level(std::string_view name);

// Thread-safe, for tools that report from several threads.
class CallListener final : public Listener {
 public:
  // `session_level` is the lowest level that a legacy session wants; it may change while the call
  // runs.
  CallListener(Sink& sink, const Request& request, std::string_view tool, const sys::Clock& clock,
               const std::atomic<int>& session_level)
      : sink_(sink), request_(request), tool_(tool), clock_(clock), session_level_(session_level) {}

  void progress(double done, std::optional<double> total, std::string_view message) override;
  void log(Level level, std::string_view message) override;

  // Sends the progress that was held back. Nothing is told afterwards.
  void close();

 private:
  struct Progress {
    double done;
    std::optional<double> total;
    std::string message;
  };
  void send(const Progress& progress);

  Sink& sink_;
  const Request& request_;
  const std::string_view tool_;
  const sys::Clock& clock_;
  const std::atomic<int>& session_level_;

  std::mutex mutex_;  // guards what follows
  bool closed_ = false;
  std::optional<double> told_;  // the last progress that was sent
  sys::Clock::Steady told_at_;
  std::optional<Progress> held_;  // came too soon after the last one
  size_t logged_ = 0;
};

}  // namespace helve::mcp
