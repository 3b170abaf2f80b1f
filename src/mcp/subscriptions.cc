#include "mcp/subscriptions.h"

#include <fmt/format.h>

#include "mcp/message.h"
#include "mcp/object_writer.h"

namespace helve::mcp {
namespace {

constexpr size_t kMaxSubscriptions = 64;
constexpr std::string_view kId = "io.modelcontextprotocol/subscriptionId";

struct Kind {
  List list;
  std::string_view filter;
  std::string_view notification;
};
constexpr Kind kKinds[] = {
    {List::tools, "toolsListChanged", "notifications/tools/list_changed"},
    {List::resources, "resourcesListChanged", "notifications/resources/list_changed"},
};

std::string meta(std::string_view id) { return fmt::format(R"({{"{}":{}}})", kId, id); }

}  // namespace

std::string_view change_notification(List list) {
  return kKinds[static_cast<size_t>(list)].notification;
}

Result<void> Subscriptions::open(const Request& request, const std::vector<List>& offered) {
  const Json* filter = request.param("notifications");
  if (!filter || !filter->is_object()) {
    return Error{Code::invalid_argument, "params.notifications must be an object",
                 "name what to be told of, such as {\"toolsListChanged\":true}"};
  }
  Subscription subscription{request.id, {}};
  std::string accepted;
  ObjectWriter object(accepted);
  for (const Kind& kind : kKinds) {
    const Json* wanted = find(*filter, kind.filter);
    if (!wanted || *wanted != true ||
        std::find(offered.begin(), offered.end(), kind.list) == offered.end())
      continue;
    subscription.lists.push_back(kind.list);
    object.boolean(kind.filter, true);
  }
  object.close();

  std::lock_guard lock(mutex_);
  if (open_.size() >= kMaxSubscriptions) {
    return Error{Code::unavailable,
                 fmt::format("{} subscriptions are open, which is the limit", open_.size()),
                 "cancel one of them first"};
  }
  std::string line;
  append_notification(
      line, "notifications/subscriptions/acknowledged",
      fmt::format(R"({{"_meta":{},"notifications":{}}})", meta(request.id), accepted));
  sink_.send(line);
  open_.push_back(std::move(subscription));
  count_ = open_.size();
  return {};
}

bool Subscriptions::has(std::string_view id) const {
  if (count_ == 0) return false;
  std::lock_guard lock(mutex_);
  return std::any_of(open_.begin(), open_.end(),
                     [&](const Subscription& one) { return one.id == id; });
}

void Subscriptions::changed(List list) {
  std::lock_guard lock(mutex_);
  for (const Subscription& one : open_) {
    if (std::find(one.lists.begin(), one.lists.end(), list) == one.lists.end()) continue;
    std::string line;
    append_notification(line, change_notification(list),
                        fmt::format(R"({{"_meta":{}}})", meta(one.id)));
    sink_.send(line);
  }
}

void Subscriptions::cancel(std::string_view id) {
  std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](const Subscription& one) { return one.id == id; });
  count_ = open_.size();
}

void Subscriptions::close(std::string_view server_info) {
  std::lock_guard lock(mutex_);
  for (const Subscription& one : open_) {
    // One page of the specification asks for the notification, another for the result.
    std::string lines;
    append_notification(lines, "notifications/cancelled",
                        fmt::format(R"({{"_meta":{},"requestId":{}}})", meta(one.id), one.id));
    lines += fmt::format(
        R"({{"jsonrpc":"2.0","id":{0},"result":{{"resultType":"complete","_meta":{{"{1}":{0},{2}}}}}}})",
        one.id, kId, server_info);
    lines += '\n';
    sink_.send(lines);
  }
  open_.clear();
  count_ = 0;
}

}  // namespace helve::mcp
