#include "mcp/arguments.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::mcp {

Result<Arguments> read_arguments(const Json* json) {
  Arguments arguments;
  if (!json || json->is_null()) return arguments;
  if (!json->is_object()) {
    return Error{Code::invalid_argument,
                 fmt::format("arguments must be an object, got {}", type_name(*json))};
  }
  for (const auto& member : json->get_object()) {
    if (!member.value().is_string()) {
      return Error{Code::invalid_argument,
                   fmt::format("argument '{}' must be a string, got {}", preview(member.key(), 80),
                               type_name(member.value()))};
    }
    arguments.emplace(member.key(), std::string_view(member.value().get_string()));
  }
  return arguments;
}

}  // namespace helve::mcp
