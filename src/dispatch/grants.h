// Grants: what people have allowed since this process began, for their session or for ever. One
// serves all workspaces of a process. Thread-safe, and nothing is locked while a file is written.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/allow_rule.h"
#include "dispatch/command_rules.h"

namespace helve::dispatch {

// The oldest are forgotten beyond these: a person is then asked once more.
constexpr size_t kMaxGrantSessions = 1000;
constexpr size_t kMaxSessionGrants = 1000;  // of one session

// Rules that hold since this process began. Immutable; another one has another address.
struct Standing {
  std::vector<AllowRule> allow;
  std::vector<CommandRule> commands;
};

class Grants {
 public:
  // Adds rules to the user's configuration, all or none.
  using Write = std::function<Result<void>(const std::vector<RuleLine>&)>;
  // `file` is where `write` writes, for people. Without them nothing can be allowed for ever.
  Grants() = default;
  Grants(std::string file, Write write) : file_(std::move(file)), write_(std::move(write)) {}

  const std::string& file() const { return file_; }
  bool can_write() const { return write_ != nullptr; }

  // `demand` is any text that tells two demands apart.
  bool has(std::string_view session, std::string_view demand) const;
  void remember(std::string_view session, std::string_view demand);

  // How often the shell that stays in a session has gone elsewhere: what was allowed before is
  // another demand since then.
  size_t moves(std::string_view session) const;
  void note_move(std::string_view session);

  // Rules that hold from now on, here and wherever the configuration is read. When they cannot be
  // written they do not hold.
  Result<void> add(const std::vector<RuleLine>& lines, const Standing& rules);
  // Those that were added since this process began; never null.
  std::shared_ptr<const Standing> added() const;

 private:
  struct Session {
    std::set<std::string, std::less<>> demands;  // hashes
    std::deque<std::string> in_order;            // the oldest first
    size_t moves = 0;
  };
  Session& session_of(std::string_view name);  // the mutex is held

  const std::string file_;
  const Write write_;
  mutable std::mutex mutex_;
  std::map<std::string, Session, std::less<>> sessions_;  // guarded by mutex_, as is what follows
  std::deque<std::string> session_order_;                 // the oldest first
  // Shared: whoever compares a call with them does so without the lock.
  std::shared_ptr<const Standing> added_ = std::make_shared<const Standing>();
};

}  // namespace helve::dispatch
