// Server: what is served, the same for every connection. A Session is one connection to it.
// Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "dispatch/dispatcher.h"
#include "mcp/options.h"
#include "mcp/request_state.h"
#include "mcp/subscriptions.h"
#include "mcp/tool_list.h"

namespace helve::mcp {

class Session;

class Server {
 public:
  // Borrows the dispatcher, the clock, the policy (null: all that is loaded is offered) and the
  // sources in `options`.
  Server(dispatch::Dispatcher& dispatcher, const sys::Clock& clock, const dispatch::Policy* policy,
         Options options = {});
  Server(const Server&) = delete;

  // Offers other tools from now on and tells every client. Calls that run keep the old policy, so
  // it must outlive them.
  void set_policy(const dispatch::Policy* policy);
  // Lists the tools by the policy of another place, and tells every client when that changes what
  // is listed. Calls take theirs from Options::place.
  void list_by(const dispatch::Policy* policy);
  // Tells every client that a list is another one now.
  void changed(List list);

  dispatch::Dispatcher& dispatcher() { return dispatcher_; }
  const sys::Clock& clock() const { return clock_; }
  const dispatch::Policy* policy() const { return policy_.load(std::memory_order_acquire); }
  const Options& options() const { return options_; }
  std::shared_ptr<const Place> place() const { return options_.place ? options_.place() : nullptr; }
  ToolList& tools() { return tools_; }
  RequestStates& states() { return states_; }

  // {"name", "title", "version"}, as far as the revision has them.
  std::string info(Version version) const;
  // The same as a member of a modern result's _meta.
  std::string_view info_member() const { return info_member_; }
  std::string capabilities(Version version) const;
  // The lists whose changes clients are told of.
  std::vector<List> lists() const;

  void log(Level level, std::string_view message) const {
    if (options_.log) options_.log(level, message);
  }

 private:
  friend class Session;
  void attach(Session& session);
  void detach(Session& session);

  dispatch::Dispatcher& dispatcher_;
  const sys::Clock& clock_;
  std::atomic<const dispatch::Policy*> policy_;
  const Options options_;
  const std::string info_member_;
  ToolList tools_;
  RequestStates states_;
  std::mutex mutex_;
  std::vector<Session*> sessions_;  // guarded by mutex_
};

}  // namespace helve::mcp
