// How the process holds memory.
#pragma once

#include <cstddef>
#include <string>

namespace helve::sys {

// For a program whose threads mostly wait: they share what malloc keeps, instead of each keeping
// some for itself.
void share_memory_between_threads();

// Gives the system what malloc keeps of memory that was freed: after work that took very much.
void give_back_memory();

// Makes room in a string whose bytes are about to be written. A large one gets large pages, where
// the system has some: the first write to a page costs several times what is written there.
void reserve_for_writing(std::string& buffer, size_t bytes);

}  // namespace helve::sys
