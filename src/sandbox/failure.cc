#include "sandbox/failure.h"

#include <fmt/core.h>

#include <system_error>

#include "base/text.h"

namespace helve::sandbox {

Error failure(std::string_view step, int number, std::string_view hint) {
  std::string reason = std::generic_category().message(number);
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(reason[0]));
  return {.code = Code::unsupported,
          .message = fmt::format("the sandbox cannot {}: {}", escape_for_display(step), reason),
          .hint = hint.empty() ? "`helve sandbox explain` shows what this machine offers; "
                                 "sandbox.level: full runs commands without a sandbox"
                               : std::string(hint),
          .type = "sandbox_unavailable"};
}

Error unfit(std::string_view message, std::string_view hint) {
  return {.code = Code::unsupported,
          .message = escape_for_display(message),
          .hint = std::string(hint),
          .type = std::string(kUnfitWorkspace)};
}

}  // namespace helve::sandbox
