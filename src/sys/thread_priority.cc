#include "sys/thread_priority.h"

#include <sched.h>

namespace helve::sys {

void lower_thread_priority() {
  const sched_param none{};
  (void)::sched_setscheduler(0, SCHED_IDLE, &none);  // 0: this thread, not the process
}

}  // namespace helve::sys
