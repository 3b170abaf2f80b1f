// How wide the terminal is.
#pragma once

#include <cstddef>

namespace helve::sys {

// $COLUMNS, else what the terminal behind the descriptor says; 0 when neither knows.
size_t terminal_columns(int descriptor);

}  // namespace helve::sys
