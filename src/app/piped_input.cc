#include "app/piped_input.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sys/stream.h"

namespace helve::app {

Result<Piped> read_piped(int descriptor, std::chrono::milliseconds patience,
                         const std::stop_token& stop) {
  Piped piped;
  if (!sys::is_piped(descriptor)) return piped;
  piped.is_silent = !TRY(sys::wait_readable(descriptor, patience, stop));
  if (piped.is_silent) return piped;
  std::string block(1u << 16, '\0');
  for (;;) {
    (void)TRY(sys::wait_readable(descriptor, {}, stop));
    const sys::ReadOutcome read = sys::read_some(descriptor, block.data(), block.size());
    if (read.end == sys::ReadEnd::failed)
      return Error{Code::unavailable, "standard input cannot be read",
                   "< /dev/null says that there is none"};
    if (read.end == sys::ReadEnd::end) return piped;
    piped.text.append(block, 0, read.bytes);
    if (piped.text.size() > kMaxPiped)
      return Error{Code::too_large,
                   fmt::format("standard input is longer than {}, too much for a prompt",
                               human_size(kMaxPiped)),
                   "write it to a file of the workspace and name that in the prompt"};
  }
}

}  // namespace helve::app
