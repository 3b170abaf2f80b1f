// Recovery: changes whose process was killed are finished when all their files were exchanged, and
// taken back otherwise, so that a change set is all there or not at all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "workspace/journal.h"
#include "workspace/workspace.h"

namespace helve::workspace {

// Touches only files below writable roots; a change that reaches further waits for a workspace that
// has all its roots. What somebody else changed meanwhile is left as it is. Returns what people
// should know.
std::vector<std::string> recover(Journal& journal, std::span<const Root> roots);

}  // namespace helve::workspace
