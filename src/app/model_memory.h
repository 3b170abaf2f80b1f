// Model memory: what a session remembers of how its model was chosen, so that it goes on with the
// same one: the flags that were given. Settings and keys stay where they are.
#pragma once

#include <string>
#include <string_view>

#include "app/model_choice.h"

namespace helve::app {

// Empty where nothing was chosen. A file is remembered by its path below the directory.
std::string remembered(const ModelFlags& flags, const std::string& current_directory);
// The others stay where nothing was chosen, or the text cannot be read; what they record goes on.
ModelFlags recalled(std::string_view text, ModelFlags others);

}  // namespace helve::app
