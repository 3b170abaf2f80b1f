#include "terminal/markdown_writer.h"

#include <algorithm>

namespace helve::terminal {
namespace {

// Only what a terminal takes as the address of a link.
bool is_linkable(std::string_view address) {
  return std::ranges::all_of(address, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

void InlineWriter::put(const InlineText& part) {
  if (part.link != link_) end_span();
  link_ = part.link;
  if (!link_.empty()) label_ += part.text;
  const bool is_hidden = style_.hyperlinks && is_linkable(link_);
  const bool is_quoted = part.is_code && !style_.colours;
  const std::string_view link = is_hidden ? part.link : std::string_view();
  if (is_quoted) lines_.put("`", part.look, link);
  lines_.put_all(part.text, part.look, link);
  if (is_quoted) lines_.put("`", part.look, link);
}

// The address follows the text, unless the terminal hides it or the text is the address.
void InlineWriter::end_span() {
  const bool is_hidden = style_.hyperlinks && is_linkable(link_);
  if (!link_.empty() && !is_hidden && label_ != link_)
    lines_.put_all(label_.empty() ? link_ : " (" + link_ + ")", dim);
  link_.clear();
  label_.clear();
}

}  // namespace helve::terminal
