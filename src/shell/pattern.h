// Patterns of rules: reading them and holding them against a command.
#pragma once

#include "base/result.h"
#include "shell/rules.h"

namespace helve::shell {

Result<Pattern> read_pattern(std::string_view text);

// Whether a rule that allows covers the segment.
bool allows(const Pattern& pattern, const Segment& segment);
// Whether it names every file that the command reads by <.
bool names_input(const Pattern& pattern, const Command& command);

enum class Match : unsigned char { no, maybe, yes };
// Whether a rule that denies or asks is about the segment; maybe, when words of it vary.
Match concerns(const Pattern& pattern, const Segment& segment);

}  // namespace helve::shell
