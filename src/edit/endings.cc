#include "edit/endings.h"

#include <algorithm>

#include "edit/fold.h"

namespace helve::edit {

std::string_view Endings::near(size_t begin) {
  if (found_ && newline_ >= begin) return ending_;
  found_ = true;
  newline_ = content_.find('\n', begin);
  const size_t last = newline_ == content_.npos ? content_.rfind('\n') : newline_;
  ending_ = last == content_.npos ? std::string_view() : ending_of(content_.substr(0, last + 1));
  return ending_;
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
