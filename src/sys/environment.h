// What the process was started with: variables, directories, terminal, user.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::sys {

// Empty when the variable is not set; an empty value is a value.
std::optional<std::string> environment(const std::string& name);
// Every variable whose name begins with `prefix`.
std::map<std::string, std::string> environment_starting_with(std::string_view prefix);

// $HOME, else what the user database says; empty when neither knows.
std::string home_directory();
// The home directories whose files this process may read, besides $HOME: the user's own, and for
// root those of everybody who can log in. At most 256.
std::vector<std::string> home_directories();
// $XDG_CONFIG_HOME/helve, else ~/.config/helve. A relative value is ignored, as the XDG
// specification asks.
Result<std::string> config_directory();
// $XDG_STATE_HOME/helve, else ~/.local/state/helve.
Result<std::string> state_directory();
Result<std::string> current_directory();
// Where the running program lies; empty when the system does not tell.
std::string program_directory();

bool is_terminal(int descriptor);
// $USER, else the number: the user database may be far away.
std::string user_name();

}  // namespace helve::sys
