// Base64, as content blocks and notebooks carry bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve {

std::string to_base64(std::string_view bytes);
// Line breaks and spaces are passed over; nothing when anything else is not base64.
std::optional<std::string> from_base64(std::string_view text);
// How long the base64 of so many bytes is.
constexpr std::uint64_t base64_size(std::uint64_t bytes) { return (bytes + 2) / 3 * 4; }

}  // namespace helve
