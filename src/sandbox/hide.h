// Hide: covers what a command must not see. A covered directory is empty, a covered file cannot be
// opened, and neither can be removed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

enum class Which : unsigned char { anything, sockets_only };

// Where the covers and what the sandbox keeps for itself are, inside the view.
constexpr const char* kVault = "/run/helve";
constexpr const char* kScratchInVault = "/run/helve/kept/scratch";
constexpr const char* kTemporaryInVault = "/run/helve/kept/temporary";

// Makes kVault, in a /run that is private already.
Result<void> make_vault();
// Covers those of the paths that exist and are not covered yet. Links are followed: what they lead
// to is covered. Fails where that could not be found out, but by a command.
Result<void> hide(std::span<const std::string> paths, Which which = Which::anything);

// Covers paths again when that is needed: a cover goes away when somebody outside replaces what it
// covers, what did not exist may exist now, and a link may lead elsewhere. Each changes a directory
// on the way to the path.
class Covers {
 public:
  // Covers all of them now.
  static Result<Covers> make(std::span<const std::string> paths);
  Result<void> renew() const;
  // The directories on the ways as they are at the moment.
  std::vector<std::string> directories() const;

 private:
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Directory {
    std::vector<std::string> paths;
    Stamp stamp;
    bool certain = false;  // the stamp is old enough to tell every later change
  };
  static Stamp stamp_of(const std::string& directory);

  std::map<std::string, Directory> directories_;  // that were on the ways when they were covered
};

}  // namespace helve::sandbox
