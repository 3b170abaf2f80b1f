// Rules: the policy that the configuration asks for.
#pragma once

#include <memory>

#include "config/config.h"
#include "dispatch/policy.h"
#include "tool/registry.h"

namespace helve::app {

// Null when no rule restricts anything: the stage is then absent.
Result<std::shared_ptr<const dispatch::Policy>> make_policy(const Registry& registry,
                                                            const config::Loaded& settings,
                                                            std::string_view agent);

}  // namespace helve::app
