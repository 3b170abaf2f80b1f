// Git: which files of a repository would make git run something later, so that commands must not
// write them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

constexpr size_t kMaxLookedAt = 1u << 17;  // directories of one root

// The repositories of a root, as they were when somebody looked. Relative to the root; "" is the
// root itself.
struct Repositories {
  std::vector<std::string> checkouts;  // hold a .git; the root is always among them
  std::vector<std::string> bare;       // are a repository's directory themselves
  // Those of the first that were no repository's directory, too, and must not become one: git would
  // obey it as soon as something in .git is broken.
  std::vector<std::string> plain;
  std::vector<std::string> unknown;  // directories that nobody could look into
};

// Two levels are looked at in any case, and deeper ones, so far as their number allows, where the
// root is no repository. Errors: there are too many directories in the first two.
Result<Repositories> find_repositories(const std::string& root, size_t most = kMaxLookedAt);

struct GitNames {
  std::vector<std::string> names;  // what must not be written
  std::vector<std::string> files;  // those of them that do not exist and would be files
  std::vector<std::string> links;  // what must not be replaced
  // Directories, missing ones too, in which nothing may be made: git would take what a command puts
  // there for the repository of a submodule that it is about to initialise. Outermost first.
  std::vector<std::string> shut;
  std::vector<std::string> modules;       // what is in those already, and stays writable
  std::vector<std::string> repositories;  // the directories with HEAD, objects, …
  std::vector<std::string> places;        // directories in which more of all these may appear
  bool is_complete = true;                // false: there are more than can be protected
};

// Relative to `root`, besides the protected names themselves: those of `protected_names` that begin
// with ".git/", said of every repository in the root that these checkouts, their submodules and
// worktrees lead to; and the files that lead git to another repository or configuration.
GitNames git_names(const std::string& root, const Repositories& known,
                   std::span<const std::string> protected_names);

// Takes away what a command may have made to lead git to a configuration of its own: no repository
// has a file commondir but a linked worktree, and no plain checkout a file HEAD beside objects and
// refs (it is called HEAD.set-aside then). Neither can be kept from being made, because what would
// stand in its place would break the repository, or git's understanding of the word HEAD.
void remove_leads(const std::string& root, const Repositories& known,
                  std::span<const std::string> protected_names);

// The repository that a linked worktree belongs to, when it lies outside the root: commands cannot
// commit there unless it is a root, too.
std::optional<std::string> repository_elsewhere(const std::string& root);

}  // namespace helve::sandbox
