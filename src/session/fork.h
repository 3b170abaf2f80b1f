// Where a session can be divided, and how far it has come.
#pragma once

#include <string_view>

#include "store/store.h"

namespace helve::session {

// The last entry up to `at` after which no call waits for its result: a copy that ends there opens
// as it is. 0: there is none.
Result<std::uint64_t> whole_until(store::Store& store, std::string_view session, std::uint64_t at);

enum class State : unsigned char {
  started,      // nothing has been said yet
  in_progress,  // a process works on it
  done,         // its model has said all
  stopped,      // by somebody, or with its process
  failed,
};
std::string_view name_of(State state);
// As far as the store knows.
Result<State> state_of(store::Store& store, const store::Conversation& conversation);

}  // namespace helve::session
