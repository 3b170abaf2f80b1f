// Front matter: the lines of YAML between two lines of --- that a Markdown file may begin with.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace helve::app {

// What it says, taken off the text; an empty object when there is none. Errors name the line of the
// text where there is one.
Result<Json> take_front_matter(std::string_view& text);

}  // namespace helve::app
