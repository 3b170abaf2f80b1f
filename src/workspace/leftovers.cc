#include "workspace/leftovers.h"

#include <fmt/core.h>

#include "base/text.h"
#include "sys/clock.h"
#include "sys/directory.h"
#include "sys/id.h"
#include "sys/process_identity.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kPrefix = ".helve-tmp-";
constexpr std::string_view kNamespace = "pid:[";
constexpr size_t kMaxVisited = 1'000;     // entries of a directory; every process pays for them
constexpr size_t kMaxRemembered = 4'096;  // directories
// What another machine or container shares with us cannot be asked for, but no write takes so long.
constexpr std::int64_t kForeignAge = 24 * 60 * 60 * 1000;  // ms

// "BOOT pid:[NAMESPACE] PID START" as BOOT_NAMESPACE_PID_START, which every file system takes.
std::string to_owner(const std::string& identity) {
  const std::vector<std::string_view> parts = split(identity, ' ');
  if (parts.size() != 4 || !parts[1].starts_with(kNamespace) || !parts[1].ends_with(']')) return {};
  const std::string_view number =
      parts[1].substr(kNamespace.size(), parts[1].size() - kNamespace.size() - 1);
  return fmt::format("{}_{}_{}_{}", parts[0], number, parts[2], parts[3]);
}

std::string to_identity(const std::vector<std::string_view>& owner) {
  return fmt::format("{} {}{}] {} {}", owner[0], kNamespace, owner[1], owner[2], owner[3]);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// The four parts of the owner in a temporary name; empty when it is no such name.
std::vector<std::string_view> owner_in(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  const size_t dot = name.rfind('.');
  if (dot < kPrefix.size()) return {};
  auto parts = split(name.substr(kPrefix.size(), dot - kPrefix.size()), '_');
  if (parts.size() != 4 || parts[0].empty()) return {};
  return is_number(parts[1]) && is_number(parts[2]) && is_number(parts[3])
             ? parts
             : std::vector<std::string_view>();
}

}  // namespace

Leftovers::Leftovers() : identity_(sys::process_identity()), owner_(to_owner(identity_)) {}

std::string Leftovers::new_name() const {
  const std::string name = sys::temporary_name();
  if (owner_.empty()) return name;
  return fmt::format("{}{}.{}", kPrefix, owner_, std::string_view(name).substr(kPrefix.size()));
}

std::string Leftovers::new_recorded_name() {
  return fmt::format(".helve-change-{:016x}", sys::random_number());
}

bool Leftovers::is_first_visit(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (swept_.size() >= kMaxRemembered) swept_.clear();
  return swept_.emplace(key).second;
}

bool Leftovers::is_abandoned(const sys::Fd& directory, std::string_view name) const {
  const std::vector<std::string_view> owner = owner_in(name);
  if (owner.empty()) return false;
  const sys::Liveness liveness = sys::liveness_of(to_identity(owner));
  if (liveness == sys::Liveness::alive) return false;
  const auto status = sys::status_at(directory, name);
  if (!status || status->kind != sys::FileKind::file) return false;
  const bool same_boot = split(owner_, '_').front() == owner[0];
  if (liveness == sys::Liveness::gone && same_boot) return true;
  return sys::RealClock().unix_ms() - status->modified_ms() > kForeignAge;
}

void Leftovers::sweep(const sys::Fd& directory, std::string_view key) {
  if (owner_.empty() || !is_first_visit(key)) return;
  std::vector<std::string> candidates;
  size_t visited = 0;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (entry.name.starts_with(kPrefix)) candidates.emplace_back(entry.name);
    return ++visited < kMaxVisited;
  });
  for (const std::string& name : candidates) {
    if (is_abandoned(directory, name)) (void)sys::remove_file_at(directory, name);
  }
}

}  // namespace helve::workspace
