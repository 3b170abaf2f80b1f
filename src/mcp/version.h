// The revisions of the protocol that we speak. Legacy ones begin with a handshake; from 2026-07-28
// on every request stands alone and names its revision itself.
#pragma once

#include <optional>
#include <string_view>

namespace helve::mcp {

// In order of time, so that "since 2025-06-18" is a comparison.
enum class Version : unsigned char {
  v2024_11_05,
  v2025_03_26,
  v2025_06_18,
  v2025_11_25,
  v2026_07_28
};

constexpr size_t kVersions = 5;
constexpr Version kLatestLegacy = Version::v2025_11_25;
constexpr Version kModern = Version::v2026_07_28;

constexpr bool is_modern(Version version) { return version >= kModern; }

inline constexpr std::string_view kVersionNames[kVersions] = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
constexpr std::string_view name_of(Version version) {
  return kVersionNames[static_cast<size_t>(version)];
}

constexpr std::optional<Version> find_version(std::string_view name) {
  for (size_t i = 0; i < kVersions; ++i) {
    if (kVersionNames[i] == name) return static_cast<Version>(i);
  }
  return {};
}

}  // namespace helve::mcp
