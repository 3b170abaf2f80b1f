#include "tool/demand.h"

namespace helve {

bool is_beyond(std::string_view word) {
  if (word == kBeyondNetwork || word == kBeyondFull) return true;
  if (word.starts_with(kBeyondHost)) return word.size() > kBeyondHost.size();
  return word.starts_with(kBeyondRoot) && word.substr(kBeyondRoot.size()).starts_with('/');
}

}  // namespace helve
