// The language on one page, for models that write expressions.
#pragma once

#include <string_view>

namespace helve::jsonata {

std::string_view syntax_page();

}  // namespace helve::jsonata
