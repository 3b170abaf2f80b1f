// Which commands run elsewhere, by the routes of the settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/commands.h"
#include "shell/unwrap.h"
#include "tool/context.h"

namespace helve::tools {

// A command that a route takes.
struct Routed {
  const process::Route* route;
  std::vector<std::string> words;
};

// Nothing: it runs in the sandbox. A command is taken by its first word, when it stands alone and
// says by itself what its words are: then no shell between here and there has anything to decide.
// Error: it has to do with a command that runs elsewhere, but is not just that.
Result<std::optional<Routed>> find_route(std::string_view command,
                                         const std::vector<process::Route>& routes,
                                         shell::Reader reader);

// For a shell that keeps running: it cannot run such commands.
Result<void> check_no_route(std::string_view command, const std::vector<process::Route>& routes,
                            const Context& context);

struct RoutedOptions {
  const std::map<std::string, std::string>& variables;
  const std::string& directory;  // of the workspace
  bool is_directory_named;       // by the caller
};
// Makes the plan start what the route needs.
Result<void> take_route(const Routed& routed, const RoutedOptions& options, const Context& context,
                        process::Plan& plan);

}  // namespace helve::tools
