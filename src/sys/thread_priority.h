// How much of the processor a thread may have when others want it.
#pragma once

namespace helve::sys {

// The calling thread only gets what nobody else wants. Where that is not permitted it stays as it
// is.
void lower_thread_priority();

}  // namespace helve::sys
