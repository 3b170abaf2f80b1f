// Process identity: names one process so that the name is never used again, not after a reboot and
// not when the kernel reuses its number. Whoever finds the name later can ask whether that process
// still runs.
#pragma once

#include <string>
#include <string_view>

namespace helve::sys {

// "boot namespace pid start" of this process; empty when the system does not tell.
std::string process_identity();

enum class Liveness : unsigned char {
  alive,
  gone,
  unknown,  // it belongs to another process namespace, or the name is empty
};
Liveness liveness_of(std::string_view identity);

}  // namespace helve::sys
