#include "sys/memory.h"

#include <malloc.h>

namespace helve::sys {

// Two: one for the threads at work, one that they fall back on while the other is locked.
void share_memory_between_threads() { ::mallopt(M_ARENA_MAX, 2); }

}  // namespace helve::sys
