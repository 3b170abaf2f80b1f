// How the process holds memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace helve::sys {

// For a program whose threads mostly wait: they share what malloc keeps, instead of each keeping
// some for itself.
void share_memory_between_threads();

// Gives the system what malloc keeps of memory that was freed: after work that took very much.
void give_back_memory();

// Says that all of this memory is about to be written. A large piece gets large pages, where the
// system has some: the first write to a page costs several times what is written there.
void prepare_for_writing(void* memory, size_t bytes);

// Makes room in a string whose bytes are about to be written, likewise.
void reserve_for_writing(std::string& buffer, size_t bytes);

// Memory straight from the system, which gets it back whole: for buffers that come and go, and
// would leave holes behind. Zero at first; what is never written to costs nothing. Throws
// std::bad_alloc.
struct Unmap {
  size_t bytes = 0;
  void operator()(char* pages) const;
};
using Pages = std::unique_ptr<char[], Unmap>;
Pages make_pages(size_t bytes);

}  // namespace helve::sys
