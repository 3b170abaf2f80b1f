// Output: standard output and standard error of the process. The only file of this module that
// writes to them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/screen.h"

namespace helve::cli {

// Not thread-safe for standard output; standard error is written at once, a call is one piece.
class Output {
 public:
  // The screen borrows this object.
  Screen screen();
  // Whatever was written is with the reader, or an error: a full disk must not look like success.
  Result<void> flush();

 private:
  void write(std::string_view text);
  int failure_ = 0;  // errno of the first write that failed
};

}  // namespace helve::cli
