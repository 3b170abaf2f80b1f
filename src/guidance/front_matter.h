// Front matter: the lines of YAML between two lines of --- that a Markdown file may begin with.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace helve::guidance {

// The type of every error here.
constexpr std::string_view kInvalidFrontMatter = "invalid_frontmatter";

// What it says, taken off the text; an empty object when there is none. Errors name the line of the
// text where there is one.
Result<Json> take_front_matter(std::string_view& text);

// The lines of it as they stand, fences included; nothing when there is none, or no end to it.
std::string_view front_of(std::string_view text);

constexpr std::string_view kAgentModification = "agent-modification";
// That key, taken off what it says: whether tools may change the file. They
// may, unless it says false.
Result<bool> take_agent_modification(Json& front);

// A text as the value of a key: plain when it is words that mean nothing else.
std::string yaml_value(std::string_view text);

}  // namespace helve::guidance
