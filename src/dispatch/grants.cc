#include "dispatch/grants.h"

#include "base/hash.h"

namespace helve::dispatch {

bool Grants::has(std::string_view session, std::string_view demand) const {
  const std::string hash = sha256_hex(demand);
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second.demands.contains(hash);
}

void Grants::remember(std::string_view session, std::string_view demand) {
  std::string hash = sha256_hex(demand);
  const std::lock_guard lock(mutex_);
  Session& granted = session_of(session);
  if (!granted.demands.insert(hash).second) return;
  granted.in_order.push_back(std::move(hash));
  if (granted.in_order.size() > kMaxSessionGrants) {
    granted.demands.erase(granted.in_order.front());
    granted.in_order.pop_front();
  }
}

Grants::Session& Grants::session_of(std::string_view name) {
  const auto [found, is_new] = sessions_.try_emplace(std::string(name));
  if (is_new) session_order_.emplace_back(name);
  if (session_order_.size() > kMaxGrantSessions) {
    sessions_.erase(session_order_.front());
    session_order_.pop_front();
  }
  return found->second;
}

size_t Grants::moves(std::string_view session) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second.moves;
}

void Grants::note_move(std::string_view session) {
  const std::lock_guard lock(mutex_);
  ++session_of(session).moves;
}

Result<void> Grants::add(const std::vector<RuleLine>& lines, const Standing& rules) {
  if (!write_) return Error{Code::unavailable, "there is no file to write rules to"};
  TRY(write_(lines));
  const std::lock_guard lock(mutex_);
  auto all = std::make_shared<Standing>(*added_);
  std::ranges::copy(rules.allow, std::back_inserter(all->allow));
  std::ranges::copy(rules.commands, std::back_inserter(all->commands));
  added_ = std::move(all);
  return {};
}

std::shared_ptr<const Standing> Grants::added() const {
  const std::lock_guard lock(mutex_);
  return added_;
}

}  // namespace helve::dispatch
