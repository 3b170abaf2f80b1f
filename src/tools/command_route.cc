#include "tools/command_route.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "workspace/workspace.h"

namespace helve::tools {
namespace {

const process::Route* route_for(std::string_view word, const std::vector<process::Route>& routes) {
  for (const process::Route& route : routes) {
    if (std::ranges::find(route.commands, word) != route.commands.end()) return &route;
  }
  return nullptr;
}

// The first command in it, however deep, that a route would take.
const std::string* routed_name(const shell::Analysis& script,
                               const std::vector<process::Route>& routes) {
  for (const shell::Segment& segment : script.segments) {
    const std::vector<shell::Word>& words = segment.command.words;
    if (!words.empty() && words[0].literal() && route_for(words[0].text, routes))
      return &words[0].text;
  }
  return nullptr;
}

// The directory as the route counts it: from the workspace on.
Result<std::string> directory_below(const Routed& routed, const RoutedOptions& options,
                                    const Context& context) {
  const process::Route& route = *routed.route;
  const std::string& root = context.files->roots().front().path;
  if (options.directory == root) return std::string();
  const bool is_below = options.directory.starts_with(root + "/");
  if (is_below && !route.directory.empty()) return options.directory.substr(root.size() + 1);
  if (!options.is_directory_named) return std::string();
  return Error{Code::denied,
               fmt::format("'{}' runs elsewhere, where '{}' is not known", routed.words[0],
                           escape_for_display(options.directory)),
               fmt::format("leave out {}", context.parameter("workdir")), "runs_elsewhere"};
}

}  // namespace

Result<std::optional<Routed>> find_route(std::string_view command,
                                         const std::vector<process::Route>& routes,
                                         shell::Reader reader) {
  if (routes.empty()) return std::nullopt;
  if (std::optional<std::vector<std::string>> words = shell::literal_words(command, reader)) {
    if (const process::Route* route = route_for(words->front(), routes))
      return Routed{route, std::move(*words)};
  }
  const shell::Analysis script = shell::analyze(command, reader);
  const std::string* const name = routed_name(script, routes);
  if (!name) return std::nullopt;
  return Error{
      Code::denied,
      fmt::format("'{}' runs elsewhere and must be called alone: no other commands, pipes, "
                  "redirections, variables, patterns or wrappers",
                  *name),
      fmt::format("call it as one command, such as: {} --help", *name), "runs_elsewhere"};
}

Result<void> check_no_route(std::string_view command, const std::vector<process::Route>& routes,
                            const Context& context) {
  if (routes.empty()) return {};
  const shell::Analysis script = shell::analyze(command, shell::Reader::bash);
  const std::string* const name = routed_name(script, routes);
  if (!name) return {};
  return Error{Code::denied, fmt::format("'{}' runs elsewhere, and not in this shell", *name),
               fmt::format("call it alone, by `{}`", context.other_tool("exec")), "runs_elsewhere"};
}

Result<void> take_route(const Routed& routed, const RoutedOptions& options, const Context& context,
                        process::Plan& plan) {
  const process::Route& route = *routed.route;
  process::RoutedCall call{.words = routed.words,
                           .variables = options.variables,
                           .directory = {},
                           .has_terminal = plan.launch.has_terminal};
  plan.launch.cwd = options.directory;
  if (route.via != process::Route::Via::local) {
    call.directory = TRY(directory_below(routed, options, context));
    plan.launch.cwd = "/";
  }
  process::RoutedStart start =
      TRY(process::start_of(route, call, context.commands->settings().policy.roots));
  plan.launch.argv = std::move(start.argv);
  plan.launch.env = std::move(start.env);
  return {};
}

}  // namespace helve::tools
