#include "app/run_outside.h"

#include <algorithm>
#include <filesystem>

#include "sys/file_at.h"
#include "workspace/real_path.h"

namespace helve::app {
namespace {

constexpr const char* kPrograms[] = {"helve", "helve-spawn", "helve-media"};

// Below a directory of configurations. Git obeys them also where somebody makes them only now.
constexpr const char* kOfGit[] = {"git/config", "git/attributes"};

// Only those that exist: an empty one would keep a shell from reading another in its place.
constexpr const char* kOfSessions[] = {
    ".bashrc",        ".bash_profile",     ".bash_login",
    ".bash_logout",   ".bash_aliases",     ".profile",
    ".zshenv",        ".zprofile",         ".zshrc",
    ".zlogin",        ".zlogout",          ".xprofile",
    ".xsession",      ".xsessionrc",       ".pam_environment",
    ".config/fish",   ".config/autostart", ".config/environment.d",
    ".config/systemd"};

// Where the directory itself is missing, nothing is reserved: nobody could make anything in it.
void add_configurations(const std::string& directory, std::vector<std::string>& paths) {
  if (!sys::status_of(directory)) return;
  for (const char* name : kOfGit) paths.push_back(directory + "/" + name);
}

void add_home(const std::string& home, std::vector<std::string>& paths) {
  paths.push_back(home + "/.gitconfig");
  add_configurations(home + "/.config", paths);
  for (const char* name : kOfSessions) {
    if (std::string path = home + "/" + name; sys::status_of(path)) paths.push_back(path);
  }
}

// As the user said it, for git.
void add_named(const Surroundings& surroundings, std::vector<std::string>& paths) {
  const auto value = [&](const char* variable) {
    const auto found = surroundings.environment.find(variable);
    return found == surroundings.environment.end() ? std::string() : found->second;
  };
  if (const std::string config = value("XDG_CONFIG_HOME"); !config.empty())
    add_configurations(config, paths);
  paths.push_back(value("GIT_CONFIG_GLOBAL"));
}

}  // namespace

std::vector<std::string> run_outside(const Surroundings& surroundings,
                                     const std::vector<std::string>& roots) {
  std::vector<std::string> paths;
  if (!surroundings.program_directory.empty()) {
    for (const char* name : kPrograms) {
      paths.push_back(surroundings.program_directory + "/" + name);
      paths.push_back(workspace::real_path(paths.back()));
    }
  }
  // The homes that no root holds are not looked into.
  const auto lies_in_root = [&](const std::string& path) {
    return std::ranges::any_of(
        roots, [&](const std::string& root) { return workspace::holds(root, path); });
  };
  std::vector<std::string> homes = surroundings.other_homes;
  homes.push_back(surroundings.home);
  for (const std::string& home : homes) {
    if (home.starts_with('/') && lies_in_root(workspace::real_path(home)))
      add_home(workspace::real_path(home), paths);
  }
  add_named(surroundings, paths);
  for (std::string& path : paths) path = std::filesystem::path(path).lexically_normal().native();
  std::erase_if(paths, [&](const std::string& path) {
    return !path.starts_with('/') || path.ends_with('/') || !lies_in_root(path);
  });
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace helve::app
