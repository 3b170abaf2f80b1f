// SHA-256: names content by what it is. Trust is bound to it, so it must be hard to forge.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view content);

}  // namespace helve
