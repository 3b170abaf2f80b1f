// Which session a command that talks to an agent means.
#pragma once

#include <string>

#include "app/staff.h"

namespace helve::app {

struct ChosenSession {
  std::string session;
  bool is_known = false;  // it is there already
};

// The last of the workspace where it `continues`, else that of --session, else a new one. One that
// is there goes on with the model that it remembers; where flags chose one, it remembers that. An
// error where there is no model that could answer.
Result<ChosenSession> choose_session(bool continues, const cli::Options& options,
                                     const World& world, Staff& staff, std::stop_token stop);

// Those that a person began in the workspace, the last one first.
Result<std::vector<store::Conversation>> own_sessions(const World& world, Staff& staff,
                                                      size_t limit);

}  // namespace helve::app
