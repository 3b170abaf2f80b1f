// How commands run in one workspace, as the configuration says.
#pragma once

#include <memory>

#include "app/surroundings.h"
#include "config/config.h"
#include "process/commands.h"
#include "sandbox/policy.h"
#include "workspace/workspace.h"

namespace helve::app {

// What a command may reach in this workspace.
sandbox::Policy sandbox_policy(const workspace::Workspace& files, const config::Config& config,
                               const Surroundings& surroundings);

// Where commands in the sandbox can write; none without a workspace.
std::vector<std::string> writable_roots(const workspace::Workspace* files);

enum class Life : unsigned char { stays, single_call };  // of this process
// The configured routes, with what this machine gives them.
std::vector<process::Route> routes_of(const config::Config& config,
                                      const Surroundings& surroundings);

process::Settings command_settings(const workspace::Workspace& files, const config::Config& config,
                                   const Surroundings& surroundings, Life life);

}  // namespace helve::app
