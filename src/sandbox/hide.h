// Hide: covers what a command must not see. A covered directory is empty, a covered file cannot be
// opened, and neither can be removed.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace helve::sandbox {

enum class Which : unsigned char { anything, sockets_only };

// Where the covers and what the sandbox keeps for itself are, inside the view.
constexpr const char* kVault = "/run/helve";
constexpr const char* kScratchInVault = "/run/helve/kept/scratch";

// Makes kVault, in a /run that is private already.
Result<void> make_vault();
// Covers those of the paths that exist and are not covered yet. Links are followed: what they lead
// to is covered.
Result<void> hide(std::span<const std::string> paths, Which which = Which::anything);

}  // namespace helve::sandbox
