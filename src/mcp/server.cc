#include "mcp/server.h"

#include "mcp/object_writer.h"
#include "mcp/session.h"

namespace helve::mcp {

Server::Server(dispatch::Dispatcher& dispatcher, const sys::Clock& clock,
               const dispatch::Policy* policy, Options options)
    : dispatcher_(dispatcher),
      clock_(clock),
      policy_(policy),
      options_(std::move(options)),
      info_member_("\"io.modelcontextprotocol/serverInfo\":" + info(kModern)),
      tools_(dispatcher.registry(), options_, policy),
      states_(clock) {}

void Server::set_policy(const dispatch::Policy* policy) {
  policy_.store(policy, std::memory_order_release);
  tools_.set_policy(policy);
  changed(List::tools);
}

void Server::list_by(const dispatch::Policy* policy) {
  if (tools_.set_policy(policy)) changed(List::tools);
}

void Server::changed(List list) {
  std::lock_guard lock(mutex_);
  for (Session* session : sessions_) session->changed(list);
}

std::string Server::info(Version version) const {
  std::string out;
  ObjectWriter info(out);
  info.raw("name", "\"helve\"");
  if (version >= Version::v2025_06_18) info.text_if_any("title", options_.title);
  info.text("version", HELVE_VERSION);
  info.close();
  return out;
}

std::string Server::capabilities(Version version) const {
  std::string out;
  ObjectWriter capabilities(out);
  capabilities.raw("tools", R"({"listChanged":true})");
  if (options_.resources) capabilities.raw("resources", R"({"listChanged":true})");
  if (options_.prompts) capabilities.raw("prompts", "{}");  // they never change
  capabilities.raw("logging", "{}");
  if ((options_.resources || options_.prompts) && version >= Version::v2025_03_26) {
    capabilities.raw("completions", "{}");
  }
  capabilities.close();
  return out;
}

std::vector<List> Server::lists() const {
  std::vector<List> lists = {List::tools};
  if (options_.resources) lists.push_back(List::resources);
  return lists;
}

void Server::attach(Session& session) {
  std::lock_guard lock(mutex_);
  sessions_.push_back(&session);
}

void Server::detach(Session& session) {
  std::lock_guard lock(mutex_);
  std::erase(sessions_, &session);
}

}  // namespace helve::mcp
