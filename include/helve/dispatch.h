// For programs that call tools: a Registry of them and the Dispatcher, the only way to call one.
#pragma once

#include "dispatch/dispatcher.h"
#include "dispatch/pending_approvals.h"
#include "dispatch/policy.h"
#include "tool/registry.h"
#include "tool/services.h"
