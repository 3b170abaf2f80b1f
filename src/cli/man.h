// Man page: the same facts as the help pages, as roff.
#pragma once

#include <string>

#include "cli/command.h"

namespace helve::cli {

std::string man_page(const Program& program, const Registry& registry);

}  // namespace helve::cli
