#include "mcp/roots.h"

#include <fmt/format.h>

namespace helve::mcp {
namespace {

constexpr size_t kMaxRoots = 100;

std::string id_of(size_t question) { return fmt::format("\"helve-roots-{}\"", question); }

}  // namespace

void Roots::expect() {
  std::lock_guard lock(mutex_);
  open_ = true;
}

void Roots::ask(std::string& out) {
  std::lock_guard lock(mutex_);
  waiting_ = true;
  open_ = true;
  out +=
      fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"roots/list"}})", id_of(++asked_)) + '\n';
}

Roots::Answer Roots::take(std::string_view id, const Json* result, std::vector<std::string>& uris) {
  std::lock_guard lock(mutex_);
  if (!waiting_ || id != id_of(asked_)) return Answer::unknown;
  waiting_ = false;
  const Json* list = result ? find(*result, "roots") : nullptr;
  if (!list || !list->is_array()) return Answer::refusal;
  for (const Json& root : list->get_array()) {
    const std::string_view uri = string_at(root, "uri");
    if (!uri.empty() && uris.size() < kMaxRoots) uris.emplace_back(uri);
  }
  return Answer::roots;
}

void Roots::settle() {
  {
    std::lock_guard lock(mutex_);
    open_ = false;
  }
  settled_.notify_all();
}

void Roots::wait(std::stop_token stop, std::chrono::milliseconds longest) {
  if (!open_) return;
  std::unique_lock lock(mutex_);
  const bool answered = settled_.wait_for(lock, stop, longest, [this] { return !open_; });
  if (!answered && !stop.stop_requested()) open_ = false;
}

}  // namespace helve::mcp
