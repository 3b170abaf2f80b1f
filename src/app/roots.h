// Roots: the directories of the workspace, as flags, client and configuration name them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/surroundings.h"
#include "cli/options.h"
#include "config/config.h"
#include "workspace/workspace.h"

namespace helve::app {

using Workspace = std::unique_ptr<workspace::Workspace>;

struct Root {
  std::string path;
  workspace::Breadth breadth = workspace::Breadth::narrow;
  std::string from = {};  // how it was chosen, for people
};
// The one that helve starts in.
Root root_of(const cli::Options& options, const Surroundings& surroundings);

// The root alone, before any configuration is known; or why it cannot be a workspace.
Result<Workspace> open_root(const Root& root, const Surroundings& surroundings);

// The roots and what the configuration adds to them. How wide a root may be is checked on what is
// opened here.
Result<Workspace> open_all(const std::vector<Root>& roots, const cli::Options& options,
                           const Surroundings& surroundings, const config::Config& config);

}  // namespace helve::app
