// Capital and small letters, as JavaScript's toUpperCase and toLowerCase have them.
#pragma once

#include <string>
#include <string_view>

namespace helve::jsonata {

std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace helve::jsonata
