// What kind of text a document is, told by its path, and how it is cut into passages.
#pragma once

#include <string>
#include <string_view>

#include "knowledge/passage.h"

namespace helve::knowledge {

std::string mime_type_of(std::string_view path);
TextKind text_kind_of(std::string_view mime_type);

}  // namespace helve::knowledge
