#include "tool/demand.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve {
namespace {

bool is_beyond(std::string_view word) {
  if (word == kBeyondNetwork || word == kBeyondFull) return true;
  if (word.starts_with(kBeyondHost)) return word.size() > kBeyondHost.size();
  return word.starts_with(kBeyondRoot) && word.substr(kBeyondRoot.size()).starts_with('/');
}

}  // namespace

Result<void> check_beyond(std::string_view word) {
  if (is_beyond(word)) return {};
  return Error{Code::invalid_argument,
               fmt::format("'{}' is no way out of the sandbox", escape_for_display(word)),
               "network, full, host:NAME or root:/PATH"};
}

}  // namespace helve
