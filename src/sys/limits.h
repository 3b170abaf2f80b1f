// Limits that a program sets itself: tight ones before it touches what a stranger made.
#pragma once

#include <chrono>
#include <cstdint>

namespace helve::sys {

struct OwnLimits {
  std::uint64_t memory = 0;  // bytes of address space
  std::chrono::seconds cpu{0};
};

// They cannot be taken back. From then on the process also writes no file and leaves no core.
bool confine_self(const OwnLimits& limits);

// As many open files as the system permits, within reason: a change holds one for each directory.
// Programs that we start do not inherit it: those that use select() cannot.
void allow_many_open_files();

// The limit as it was before, for those programs. The process's own when it was never changed.
std::uint64_t first_limit_of_open_files();

// Whether a filter of system calls binds this process, as in a sandbox or a container.
bool is_filtered();

}  // namespace helve::sys
