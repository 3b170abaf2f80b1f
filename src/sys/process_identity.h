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
  unknown,  // it belongs to another process namespace or machine, or the name is empty
};
// `machine`: the machine_identity() of that process, when it is known. Without it every other boot
// is taken for an earlier one of this machine.
Liveness liveness_of(std::string_view identity, std::string_view machine = {});

// The same for every process of this machine, whenever it was started; a digest, since the number
// itself is not for strangers.
std::string machine_identity();

}  // namespace helve::sys
