#include "edit/endings.h"

#include <algorithm>

#include "edit/fold.h"

namespace helve::edit {

std::string_view ending_near(std::string_view content, size_t begin, size_t end) {
  // The next newline from `begin` on is the region's first, or ends the line that it is on.
  size_t newline = content.find('\n', begin);
  if (newline == content.npos) newline = content.rfind('\n', end);
  if (newline == content.npos) return {};
  return ending_of(content.substr(0, newline + 1));
}

void append_with_ending(std::string& out, std::string_view line, std::string_view ending) {
  const std::string_view own = ending_of(line);
  out += line.substr(0, line.size() - own.size());
  if (!own.empty()) out += ending.empty() ? own : ending;
}

LoneReturns::LoneReturns(std::string_view content)
    : active_(content.find('\n') == content.npos &&
              // One at the very end may be half of a \r\n.
              content.substr(0, content.size() - std::min<size_t>(1, content.size())).find('\r') !=
                  content.npos) {}

void LoneReturns::as_newlines(std::string& content) const {
  if (active_) std::replace(content.begin(), content.end(), '\r', '\n');
}

std::string LoneReturns::given_as_newlines(std::string_view text) const {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      out += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      out += '\n';
  }
  return out;
}

void LoneReturns::as_returns(std::string& content) const {
  if (active_) std::replace(content.begin(), content.end(), '\n', '\r');
}

}  // namespace helve::edit
