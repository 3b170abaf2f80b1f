// Local time: what the clocks on the wall show where this process runs, as TZ or the system's
// settings say. For days and times that people speak of; what is stored and compared is Unix time.
#pragma once

#include <cstdint>

namespace helve::sys {

// A Unix time, moved so that utc() shows the local time.
std::int64_t local_ms(std::int64_t unix_ms);

}  // namespace helve::sys
