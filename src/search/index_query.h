// Asks a segment which of its documents can satisfy what a pattern requires.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "search/index_segment.h"
#include "search/required.h"

namespace helve::search {

// Where the parts of an all_of must be together.
enum class Together : unsigned char { in_a_line, in_a_file };

// In ascending order; nothing when the segment cannot rule out any document. Files count as one
// document, their first, when matches may span lines.
Result<std::optional<std::vector<Doc>>> docs_that_may_satisfy(const Segment& segment,
                                                              const Required& required,
                                                              Together together);

}  // namespace helve::search
