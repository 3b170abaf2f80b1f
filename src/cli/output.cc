#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace helve::cli {

Screen Output::screen() {
  Screen screen;
  screen.out.write = [this](std::string_view text) { write(text); };
  screen.out.flush = [this] { (void)flush(); };
  screen.out.has_reader = [this] { return failure_ != EPIPE; };
  screen.err.write = [](std::string_view text) {
    // Nobody could be told that telling failed.
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
  };
  return screen;
}

void Output::write(std::string_view text) {
  if (failure_ != 0 || text.empty()) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    failure_ = errno ? errno : EIO;
}

Result<void> Output::flush() {
  errno = 0;
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno ? errno : EIO;
  if (failure_ == 0 || failure_ == EPIPE) return {};  // a reader that went away has seen enough
  return Error{Code::unavailable,
               std::string("cannot write to standard output: ") + std::strerror(failure_)};
}

}  // namespace helve::cli
