// The message that a system prompt is made for.
#pragma once

#include <string>

#include "store/shared_store.h"

namespace helve::app {

// What waits in the inbox of a session; when nothing does, what it was asked last. Empty when that
// cannot be told: then no prompt has to do with it.
std::string message_of(store::SharedStore& store, const std::string& session);

}  // namespace helve::app
