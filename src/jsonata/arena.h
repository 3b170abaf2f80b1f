// Arena: the memory of one evaluation. What it hands out lives until the evaluation's output is
// dropped, so that values need no counting and closures that refer to each other leave nothing
// behind. Not thread-safe: an evaluation has one of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace helve::jsonata {

class Arena {
 public:
  static constexpr size_t kChunkBytes = 256u << 10;
  static constexpr size_t kLargeBytes = 64u << 10;  // what is larger has memory of its own

  explicit Arena(size_t limit) : limit_(limit) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Whether that much more stays within the limit. Small things are handed out regardless; whoever
  // makes something of a size that the expression decides asks first.
  bool allows(size_t bytes) const { return bytes <= limit_ && used_ <= limit_ - bytes; }
  bool exhausted() const { return used_ > limit_; }

  void* allocate(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > kLargeBytes || bytes > static_cast<size_t>(end_ - next_))
      return allocate_slowly(bytes);
    char* const start = next_;
    next_ += bytes;
    return start;
  }
  template <class T, class... Arguments>
  T* make(Arguments&&... arguments) {
    return new (allocate(sizeof(T))) T{std::forward<Arguments>(arguments)...};
  }
  template <class T>
  T* array(size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  std::string_view copy(std::string_view text);
  // More room for an array that grows; the old one must not be used any more.
  void* grow(void* old, size_t old_bytes, size_t bytes);

  // Everything that was allocated after a mark can be dropped at once.
  struct Mark {
    void* chunk;
    char* next;
    void* large;
    size_t used;
  };
  Mark mark() const { return {chunk_, next_, large_, used_}; }
  void release(const Mark& mark);

 private:
  struct Block {
    Block* previous;
    Block* following;  // of large blocks only: the one that was made after this one
    size_t bytes;
  };
  void* allocate_slowly(size_t bytes);
  void* allocate_large(size_t bytes);
  static void free_blocks(Block* block, const Block* until);

  size_t limit_;
  size_t used_ = 0;
  char* next_ = nullptr;
  char* end_ = nullptr;
  Block* chunk_ = nullptr;
  Block* spare_ = nullptr;
  Block* large_ = nullptr;
};

}  // namespace helve::jsonata
