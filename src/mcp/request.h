// Request: one question of the client while it is answered. Job: one frame, which holds a request
// or a batch of them.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "mcp/turns.h"
#include "mcp/version.h"
#include "tool/services.h"

namespace helve::mcp {

enum class Method : unsigned char {
  initialize,
  ping,
  set_level,
  discover,
  listen,
  tools_list,
  tools_call,
  resources_list,
  resources_templates,
  resources_read,
  prompts_list,
  prompts_get,
  complete,
};

constexpr std::string_view kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr int kLogNothing = 8;  // above every level

struct Request {
  std::string id = {};  // as JSON
  Method method = Method::ping;
  Version version = kLatestLegacy;
  bool structured = true;           // answers have a structured value beside the text
  const Json* params = nullptr;     // an object, or null when there are none
  std::string progress_token = {};  // as JSON; empty: no progress is wanted
  int log_level =
      kLogNothing;  // modern: the lowest level to tell; legacy requests follow their session's
  std::stop_source stop{std::nostopstate};
  bool cancelled = false;                 // guarded by Flights
  std::optional<Turns::Turn> turn = {};   // of a call that changes something
  std::unique_ptr<Telling> telling = {};  // what its answer tells once

  // What its answer would have told is told by another one.
  void withdraw() {
    if (telling) telling->did_not_arrive();
    telling.reset();
  }
  bool modern() const { return is_modern(version); }
  // Modern: what the client can do, as far as this request goes.
  const Json* client_capabilities() const {
    const Json* const meta = param("_meta");
    return meta ? find(*meta, kClientCapabilities) : nullptr;
  }
  const Json* param(std::string_view key) const { return params ? find(*params, key) : nullptr; }
};

// Reused from frame to frame, so that a small call allocates nothing for its frame. Not movable:
// what was parsed lies in the arena and requests in flight are known by address.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;

  void reset();

  // Its answer says something that is told once: it is to be sent without delay.
  bool tells() const;
  // The answer was sent, or could not be.
  void settle(bool arrived);

  std::string answer;  // messages to send, each with its newline
  size_t bytes = 0;    // of the frame

 private:
  friend class Session;
  static constexpr size_t kScratchBytes = 8u << 10;
  static constexpr size_t kKeptAnswerBytes = 256u << 10;

  unsigned char scratch_[kScratchBytes];
  // Made anew for each frame: it remembers how much it gave and would ask for twice that, for ever.
  std::optional<boost::json::monotonic_resource> arena_;
  std::optional<Json> message_;
  Request request_;
  std::vector<Request> batch_;  // requests of a batch that are still to run
  bool is_batch_ = false;
};

}  // namespace helve::mcp
