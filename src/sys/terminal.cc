#include "sys/terminal.h"

#include <sys/ioctl.h>

#include <charconv>

#include "sys/environment.h"

namespace helve::sys {

size_t terminal_columns(int descriptor) {
  if (const auto columns = environment("COLUMNS")) {
    size_t count = 0;
    const auto [end, error] =
        std::from_chars(columns->data(), columns->data() + columns->size(), count);
    if (error == std::errc() && end == columns->data() + columns->size() && count > 0) return count;
  }
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace helve::sys
