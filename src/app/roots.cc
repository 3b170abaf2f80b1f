#include "app/roots.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::app {
namespace {

constexpr std::string_view kRootFlag = "--root";

// Tools must not write what decides what tools may do.
std::vector<std::string> own_directories(const Surroundings& surroundings) {
  std::vector<std::string> own = {surroundings.config_directory, surroundings.state_directory};
  std::erase(own, "");
  return own;
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
  Result<Workspace> opened =
      workspace::Workspace::make({.roots = {{root.path}},
                                  .breadth = root.breadth,
                                  .protected_directories = own_directories(surroundings)});
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
          config.read_hard_links ? workspace::HardLinks::read : workspace::HardLinks::refuse,
      .protected_directories = own_directories(surroundings)};
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
  return workspace::Workspace::make(all);
}

}  // namespace helve::app
