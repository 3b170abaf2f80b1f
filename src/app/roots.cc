#include "app/roots.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/run_outside.h"
#include "workspace/real_path.h"

namespace helve::app {
namespace {

constexpr std::string_view kRootFlag = "--root";

// Tools must not write what decides what tools may do, nor what runs where no tool could.
std::vector<std::string> protected_from_tools(const Surroundings& surroundings,
                                              const std::vector<workspace::Options::Root>& roots) {
  std::vector<std::string> paths;
  for (const auto& [path, access, breadth] : roots) {
    const bool is_absolute = path.starts_with('/');
    paths.push_back(
        workspace::real_path(is_absolute ? path : surroundings.current_directory + "/" + path));
  }
  std::vector<std::string> places = run_outside(surroundings, paths);
  places.insert(places.end(), {surroundings.config_directory, surroundings.state_directory});
  std::erase(places, "");
  return places;
}

Error about_flag(Error error, std::string_view flag) {
  error.message = fmt::format("{}: {}", flag, error.message);
  if (error.hint.empty()) error.hint = "name a directory that exists";
  return error;
}

}  // namespace

Root root_of(const cli::Options& options, const Surroundings& surroundings) {
  if (options.root) return {*options.root, workspace::Breadth::any, std::string(kRootFlag)};
  return {surroundings.current_directory, workspace::Breadth::narrow, "the current directory"};
}

Result<Workspace> open_root(const Root& root, const Surroundings& surroundings) {
  if (root.path.empty())
    return Error{Code::not_found, "the current directory is gone", "give --root DIR"};
  workspace::Options options{.roots = {{root.path}}, .breadth = root.breadth};
  options.protected_directories = protected_from_tools(surroundings, options.roots);
  Result<Workspace> opened = workspace::Workspace::make(options);
  if (!opened && opened.error().type == "root_too_wide")
    opened.error().hint = "change to the project's directory, or give --root DIR";
  if (!opened && root.from == kRootFlag) return about_flag(std::move(opened).error(), kRootFlag);
  return opened;
}

Result<Workspace> open_all(const std::vector<Root>& roots, const cli::Options& options,
                           const Surroundings& surroundings, const config::Config& config) {
  using workspace::Access;
  workspace::Options all{
      .breadth = workspace::Breadth::any,
      .durability = config.sync ? workspace::Durability::synced : workspace::Durability::unsynced,
      .hard_links =
          config.read_hard_links ? workspace::HardLinks::read : workspace::HardLinks::refuse};
  for (const Root& root : roots)
    all.roots.push_back(
        {root.path, options.read_only ? Access::read_only : Access::writable, root.breadth});
  for (const config::Root& root : config.roots) {
    if (!options.add_dir.empty()) {  // which replaces what the files say, so these are its own
      if (Result<Workspace> alone =
              workspace::Workspace::make({.roots = {{root.path}}, .breadth = all.breadth});
          !alone)
        return about_flag(std::move(alone).error(), "--add-dir");
    }
    const bool writable = root.access == config::Access::writable && !options.read_only;
    all.roots.push_back({root.path, writable ? Access::writable : Access::read_only});
  }
  all.protected_directories = protected_from_tools(surroundings, all.roots);
  return workspace::Workspace::make(all);
}

}  // namespace helve::app
