// Git: which files of a repository would make git run something later, so that commands must not
// write them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helve::sandbox {

// Names relative to `root`, besides the protected names themselves: those of `protected_names` that
// begin with ".git/", said of every repository whose directory lies below the root's own .git
// (submodules, nested ones too), and the files that lead git to another repository or another
// configuration. When the root itself is a repository's directory, of that as well.
std::vector<std::string> git_names(const std::string& root,
                                   std::span<const std::string> protected_names);

// Directories relative to `root` that hold a repository, where the root itself is none: a workspace
// of several repositories. Two levels are looked at; deeper ones are mostly downloads of builds,
// which commands remove again.
std::vector<std::string> checkouts_below(const std::string& root);

// Takes away what a command may have made in the root's repositories to lead git to a configuration
// of its own: no repository has a file commondir but a linked worktree. Such a file cannot be kept
// from being made, because what would stand in its place would break the repository.
void remove_leads(const std::string& root, std::span<const std::string> protected_names);

// The repository that a linked worktree belongs to, when it lies outside the root: commands cannot
// commit there unless it is a root, too.
std::optional<std::string> repository_elsewhere(const std::string& root);

}  // namespace helve::sandbox
