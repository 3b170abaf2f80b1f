// Limits: what bounds the processes, the memory and the files of a command.
#pragma once

#include "base/result.h"
#include "sandbox/policy.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// Resource limits of the calling process and all that it starts.
Result<void> apply_limits(const Limits& limits);

// Where no control group shares the processor: makes what this process starts nicer than others.
// Many processes together still take more.
void give_way();

// Through a /proc that can still be written: how many processes there may be in this PID namespace,
// where the kernel bounds each namespace by itself, and that the command is the first to go when
// memory runs out.
Result<void> bound_namespace(const sys::Fd& proc, const Limits& limits);
// Since when the number of processes can be bound by namespace.
bool has_namespace_bound();

}  // namespace helve::sandbox
