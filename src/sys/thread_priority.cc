#include "sys/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace helve::sys {

void lower_thread_priority() {
  constexpr int kNice = 10;  // not the least: others may wait for a lock that this thread holds
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
}

}  // namespace helve::sys
