// Rules: the policy and the approvals that the configuration asks for.
#pragma once

#include <memory>

#include "config/config.h"
#include "dispatch/approvals.h"
#include "dispatch/policy.h"
#include "tool/registry.h"

namespace helve::app {

// Null when no rule restricts anything: the stage is then absent.
Result<std::shared_ptr<const dispatch::Policy>> make_policy(const Registry& registry,
                                                            const config::Loaded& settings,
                                                            std::string_view agent);

// What a sub-agent of that agent may use: of its parent's tools, and of the preset unless that is
// empty. Without a policy of its own the parent may use everything.
Result<std::shared_ptr<const dispatch::Policy>> spawn_policy(
    const Registry& registry, const config::Loaded& settings, std::string_view agent,
    const std::shared_ptr<const dispatch::Policy>& parent, const std::vector<std::string>& preset);

dispatch::AllowRule rule_of(const config::AllowRule& rule);
dispatch::CommandRule rule_of(const config::CommandRule& rule);
// The shell that the settings name for commands.
shell::Reader reader_of(const config::Loaded& settings);

// Borrows the registry and the grants.
Result<std::shared_ptr<const dispatch::Approvals>> make_approvals(const Registry& registry,
                                                                  const config::Loaded& settings,
                                                                  dispatch::Grants& grants);

// What people allow for ever goes to the user's own configuration. `lock` as config::add_items has
// it.
std::unique_ptr<dispatch::Grants> make_grants(const std::string& user_file,
                                              const std::string& lock);

}  // namespace helve::app
