// Content blocks as a revision of the protocol knows them. What it does not know yet is sent as
// text that names it.
#pragma once

#include <span>
#include <string>

#include "mcp/version.h"
#include "tool/content.h"

namespace helve::mcp {

void append_block(std::string& out, const Content& block, Version version);
void append_text_block(std::string& out, std::string_view text);

// {"uri", "mimeType", "text" or "blob"}: an embedded resource, or one of the contents of
// resources/read.
void append_resource_content(std::string& out, const ResourceContent& content);

}  // namespace helve::mcp
