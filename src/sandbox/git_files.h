// Git files: how git recognises a repository, and what its small files say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::sandbox {

bool exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);
bool is_link(const std::string& path);
// Whether nobody knows: it is in a directory that we may not search.
bool is_closed(const std::string& path);
// Where a link leads by its own words, whatever other links are on the way.
std::string target_of_link(const std::string& path);
// Empty: it leads nowhere. As far as a directory that is closed: what is_closed() there.
std::string real_path(const std::string& path);
// The same for what may not exist, in a directory that may not either. Empty: nothing of it does.
std::string real_path_to_be(const std::string& path);

// What git takes for a repository's directory, whatever HEAD says at the moment.
bool is_git_directory(const std::string& path);
// The same for one that a command may have removed parts of to make it look like none; it cannot
// have removed the configuration.
bool is_repository(const std::string& path);

// The directory that the file .git in `checkout` leads to. Empty: there is no such file.
std::string linked_directory(const std::string& checkout);
// Where the checkout is that the worktree with this directory belongs to, by its file gitdir.
std::string checkout_of_worktree(const std::string& directory);
// The repository whose linked worktree has this directory; nothing: it is none.
std::optional<std::string> repository_of_worktree(const std::string& directory);

// A file of git's configuration. Empty: there is none, or it is longer than any that people write.
std::string read_config(const std::string& path);
// The values of a name, whatever its section.
std::vector<std::string> values_of(std::string_view config, std::string_view name);
// The names in headers such as [submodule "libs/a"].
std::vector<std::string> submodules_of(std::string_view config);

}  // namespace helve::sandbox
