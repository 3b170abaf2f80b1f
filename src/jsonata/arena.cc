#include "jsonata/arena.h"

#include <algorithm>
#include <cstdlib>

namespace helve::jsonata {
namespace {

template <class Block>
Block* new_block(size_t bytes) {
  void* const memory = std::malloc(sizeof(Block) + bytes);
  if (!memory) throw std::bad_alloc();
  return static_cast<Block*>(memory);
}

}  // namespace

Arena::~Arena() {
  free_blocks(chunk_, nullptr);
  free_blocks(large_, nullptr);
  std::free(spare_);
}

void Arena::free_blocks(Block* block, const Block* until) {
  while (block != until) std::free(std::exchange(block, block->previous));
}

void* Arena::allocate_slowly(size_t bytes) {
  if (bytes > kLargeBytes) return allocate_large(bytes);
  Block* const block = spare_ ? std::exchange(spare_, nullptr) : new_block<Block>(kChunkBytes);
  *block = {chunk_, nullptr, kChunkBytes};
  chunk_ = block;
  used_ += kChunkBytes;
  next_ = reinterpret_cast<char*>(block + 1);
  end_ = next_ + kChunkBytes;
  return std::exchange(next_, next_ + bytes);
}

void* Arena::allocate_large(size_t bytes) {
  Block* const block = new_block<Block>(bytes);
  *block = {large_, nullptr, bytes};
  if (large_) large_->following = block;
  large_ = block;
  used_ += bytes;
  return block + 1;
}

void* Arena::grow(void* old, size_t old_bytes, size_t bytes) {
  old_bytes = (old_bytes + 7) & ~size_t{7};
  bytes = (bytes + 7) & ~size_t{7};
  if (old_bytes > kLargeBytes) {
    // The system moves the pages of large memory instead of copying them.
    void* const memory = std::realloc(static_cast<Block*>(old) - 1, sizeof(Block) + bytes);
    if (!memory) throw std::bad_alloc();
    Block* const block = static_cast<Block*>(memory);
    block->bytes = bytes;
    if (block->following)
      block->following->previous = block;
    else
      large_ = block;
    if (block->previous) block->previous->following = block;
    used_ += bytes - old_bytes;
    return block + 1;
  }
  if (static_cast<char*>(old) + old_bytes == next_ &&
      bytes - old_bytes <= static_cast<size_t>(end_ - next_) && bytes <= kLargeBytes) {
    next_ += bytes - old_bytes;
    return old;
  }
  void* const fresh = allocate(bytes);
  if (old_bytes > 0) std::memcpy(fresh, old, old_bytes);
  return fresh;
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* const start = static_cast<char*>(allocate(text.size()));
  std::memcpy(start, text.data(), text.size());
  return {start, text.size()};
}

void Arena::release(const Mark& mark) {
  if (chunk_ != mark.chunk) {
    Block* const chunk = static_cast<Block*>(mark.chunk);
    // One is kept: a loop that ends near the end of a chunk would ask for it again and again.
    if (!spare_) spare_ = std::exchange(chunk_, chunk_->previous);
    free_blocks(chunk_, chunk);
    chunk_ = chunk;
    end_ = chunk ? reinterpret_cast<char*>(chunk + 1) + kChunkBytes : nullptr;
  }
  next_ = mark.next;
  Block* const large = static_cast<Block*>(mark.large);
  if (large_ != large) {
    free_blocks(large_, large);
    large_ = large;
    if (large) large->following = nullptr;
  }
  used_ = mark.used;
}

}  // namespace helve::jsonata
