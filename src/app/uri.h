// File URIs, for clients that name files by them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::app {

// Bytes that are not unreserved characters or slashes become %XX.
std::string percent_encoded(std::string_view path);
Result<std::string> percent_decoded(std::string_view text);

std::string file_uri(std::string_view absolute_path);
// The absolute path of a file URI of this machine.
Result<std::string> path_of_uri(std::string_view uri);

}  // namespace helve::app
