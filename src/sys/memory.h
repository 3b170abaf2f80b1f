// How the process holds memory.
#pragma once

namespace helve::sys {

// For a program whose threads mostly wait: they share what malloc keeps, instead of each keeping
// some for itself.
void share_memory_between_threads();

}  // namespace helve::sys
