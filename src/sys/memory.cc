#include "sys/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace helve::sys {
namespace {

constexpr size_t kSmallPage = 4096;
constexpr size_t kLargePage = 2u << 20;
constexpr size_t kWorthALargePage = 1u << 20;
constexpr int kLargePiece =
    1 << 20;  // bytes, of memory that goes back to the system when it is freed

}  // namespace

void share_memory_between_threads() {
  // Two: one for the threads at work, one that they fall back on while the other is locked.
  ::mallopt(M_ARENA_MAX, 2);
  // Else malloc raises it to the largest piece that was ever freed, and keeps holes of that size.
  ::mallopt(M_MMAP_THRESHOLD, kLargePiece);
}

void Unmap::operator()(char* pages) const { ::munmap(pages, bytes); }

Pages make_pages(size_t bytes) {
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return Pages(static_cast<char*>(pages), Unmap{bytes});
}

void give_back_memory() { ::malloc_trim(0); }

void prepare_for_writing(void* memory, size_t bytes) {
  if (bytes < kWorthALargePage) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first =
      begin / kSmallPage * kSmallPage;  // advice does no harm to neighbours
  ::madvise(reinterpret_cast<void*>(first), begin + bytes - first, MADV_HUGEPAGE);
}

void reserve_for_writing(std::string& buffer, size_t bytes) {
  if (bytes < kWorthALargePage) return buffer.reserve(bytes);
  // With what malloc adds a whole number of large pages: the kernel lets such a mapping begin at
  // one.
  const size_t pages = (bytes + kSmallPage) / kLargePage + 1;
  buffer.reserve(pages * kLargePage - kSmallPage);
  prepare_for_writing(buffer.data(), buffer.capacity());
}

}  // namespace helve::sys
