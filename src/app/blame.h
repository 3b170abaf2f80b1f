// Blame: what is wrong in the configuration that only shows once the tools are known, with its
// place.
#pragma once

#include "config/config.h"
#include "tool/registry.h"

namespace helve::app {

// Every tool in the rules that does not exist: "FILE:LINE: tools.deny[0]: no tool 'wrte' (…)".
// Without one, `otherwise`.
Error wrong_rules(const Registry& registry, const config::Loaded& settings,
                  const std::vector<config::RuleLayer>& rules, Error otherwise);

// Every rule of approvals.allow and of commands that is wrong: "FILE:LINE: approvals.allow[0].tool:
// no tool …". Without one, `otherwise`.
Error wrong_permissions(const Registry& registry, const config::Loaded& settings, Error otherwise);

// The error with the place that set the path. What a flag says wrongly needs no place.
Error wrong_setting(const config::Loaded& settings, std::string_view path, Error error);

}  // namespace helve::app
