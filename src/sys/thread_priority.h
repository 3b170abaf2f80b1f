// How much of the processor a thread may have when others want it.
#pragma once

namespace helve::sys {

// The calling thread stands back behind others.
void lower_thread_priority();

}  // namespace helve::sys
